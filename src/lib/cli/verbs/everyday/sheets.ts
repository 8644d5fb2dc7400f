import type {ListText, Layout} from '#lib/cli/output/format.js'

/** Several records as sheets of names and values, an empty line between two. */
export function sheets(layout: Layout): ListText {
  let gap = ''
  return {
    async rows(records) {
      const {sheet} = await import('#lib/cli/output/sheet.js')
      return records
        .map(record => {
          const text = gap + sheet(record, layout)
          gap = '\n'
          return text
        })
        .join('')
    },
  }
}
