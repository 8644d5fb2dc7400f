import {manyFlags} from '#lib/cli/input/items/several.js'
import type {Layout, ListText, OutputFormat} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import {everydayCommand} from '#lib/cli/run/operation-command.js'
import {COLUMNS} from '#lib/cli/verbs/everyday/file-rows.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'

export default everydayCommand('files.get', {
  everyDay: 4,
  aliases: ['info', 'details', 'files info', 'files show'],
  summary: 'Show the metadata of files and folders.',
  description:
    'At a terminal, prints each file as names and values. In a pipe, each row has path, media type, size, modified date and ID. With --json, prints whole records. `drv files get` has more options.',
  usage: 'stat FILE... [FLAGS]',
  examples: [
    ['Show the metadata of a file', 'stat /Reports/q3.pdf'],
    ['Show a file in a shared drive', 'stat drive:Finance/budget.csv'],
    ['Get the path of a file', 'stat "$FILE_ID" --columns path'],
    [
      'Get the checksums of all PDF files',
      '$ drv find --type pdf --format ids | drv stat - --columns md5Checksum,path',
    ],
  ],
  flags: manyFlags,
  withPaths: true,
  // Several files have the same columns as one file.
  printing: ({columns}) => ({
    adapt: output => (output.isForPeople && !columns ? {...output, list: sheets} : output),
    columns: output => (isPlainRows(output) ? COLUMNS : undefined),
  }),
  async request(standard, _, {context, printer}) {
    const input = await standard()
    if (context.options.columns || printer.output.fields) return input
    const {fields: _fields, ...params} = input.params
    const wanted = [...new Set([...COLUMNS.slice(1), ...PATH_FIELDS])]
    // Sheets and structured formats print the whole record.
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

/** Prints several records as sheets of names and values, separated by empty lines. */
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
