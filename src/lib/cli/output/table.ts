import type {OutputFormat} from './format.js'

/**
 * For people: aligned columns below a header; a single record as a sheet of names and values. What
 * lays them out is loaded when there is something to show.
 */
export const tableFormat: OutputFormat = {
  isStructured: false,
  isForPeople: true,
  record: async (record, layout) => (await import('./sheet.js')).sheet(record, layout),
  records: async (records, layout) => (await import('./table-rows.js')).tableRows(layout)(records),
  list: layout => {
    const loading = import('./table-rows.js').then(({tableRows}) => tableRows(layout))
    // As many as a page has decide the widths.
    return {pieceSize: 1000, rows: async records => (await loading)(records)}
  },
}
