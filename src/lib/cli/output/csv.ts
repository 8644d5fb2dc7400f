import {exact} from '#lib/cli/terminal/cell.js'
import {fieldPaths, reach} from './columns.js'
import type {Layout, OutputFormat, Row} from './format.js'

/**
 * What stands in quotes besides values with a quote or a comma: controls such as each half of a row's
 * end, since readers take either for a whole one, and outer blanks, which some readers drop.
 */
const QUOTED = /[\p{Cc}\u2028\u2029]|^\s|\s$/u

/** CSV (RFC 4180): a header with the fields' own names, then a row a record, each ended by CR LF. */
export const csvFormat: OutputFormat = {
  isStructured: false,
  record: (record, layout) => listRows(layout)([record]),
  records: (records, layout) => listRows(layout)(records),
  list: layout => ({rows: listRows(layout)}),
}

/** The first record decides the columns, so that all pages are one table. */
function listRows({columns: asked}: Layout): (records: readonly Row[]) => Promise<string> {
  let paths: readonly string[] | undefined
  return async records => {
    const {stringify} = await import('csv-stringify/sync')
    const header = paths === undefined
    paths ??= asked ?? (records[0] ? fieldPaths(records[0]) : undefined)
    if (!paths) return ''
    const columns = [...paths]
    const rows = records.map(record => columns.map(path => exact(reach(record, path))))
    // An empty line would be no record: a single value that is empty stands in quotes.
    const quoted_empty = columns.length === 1
    return stringify(rows, {
      columns,
      header,
      record_delimiter: 'windows',
      quoted_empty,
      quoted_match: QUOTED,
    })
  }
}
