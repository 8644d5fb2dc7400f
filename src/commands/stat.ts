import {manyFlags} from '#lib/cli/input/items/several.js'
import type {Layout, ListText, OutputFormat} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import {everydayCommand} from '#lib/cli/run/operation-command.js'
import {COLUMNS} from '#lib/cli/verbs/everyday/file-rows.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'

export default everydayCommand('files.get', {
  everyDay: 4,
  aliases: ['info', 'details', 'files info', 'files show'],
  summary: 'Show what is known about files and folders, with their paths.',
  description:
    'Each is a sheet of names and values at a terminal, a row of path, media type, size, time of change and ID in a pipe, and a whole record with --json. `drv files get` does the same with all that the operation can.',
  usage: 'stat FILE... [FLAGS]',
  examples: [
    ['Show all that is known about a file', 'stat /Reports/q3.pdf'],
    ['Look at a file of a shared drive', 'stat drive:Finance/budget.csv'],
    ['Get where a file lies', 'stat "$FILE_ID" --columns path'],
    [
      'Get the checksums of all PDF files',
      '$ drv find --type pdf --format ids | drv stat - --columns md5Checksum,path',
    ],
  ],
  flags: manyFlags,
  withPaths: true,
  // Rows of several files have the columns that those of one file have.
  printing: ({columns}) => ({
    adapt: output => (output.isForPeople && !columns ? {...output, list: sheets} : output),
    columns: output => (isPlainRows(output) ? COLUMNS : undefined),
  }),
  async request(standard, _, {context, printer}) {
    const input = await standard()
    if (context.options.columns || printer.output.fields) return input
    const {fields: _fields, ...params} = input.params
    const wanted = [...new Set([...COLUMNS.slice(1), ...PATH_FIELDS])]
    // For a sheet, and for programs, it is all that is known.
    const isPlain = isPlainRows(printer.output)
    return {...input, params: {...params, ...(isPlain && {fields: recordFields(wanted)})}}
  },
  async print(answer, _, {printer}, standard) {
    if (answer && isPlainRows(printer.output)) await printer.records([answer])
    else await standard(answer)
  },
})

function isPlainRows({isForPeople, isStructured, fields}: OutputFormat): boolean {
  return !isForPeople && !isStructured && !fields
}

/** Several records as sheets of names and values, an empty line between two. */
function sheets(layout: Layout): ListText {
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
