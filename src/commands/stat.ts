import type {Interfaces} from '@oclif/core'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import type {Layout, ListText, OutputFormat} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import {operationCommand} from '#lib/cli/run/operation-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {COLUMNS} from '#lib/cli/verbs/everyday/file-rows.js'
import type {CallInput} from '#lib/client/client.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'

const Operation = operationCommand('files.get', [], {
  async print(answer, _, {printer}, standard) {
    if (answer && isPlainRows(printer.output)) await printer.records([answer])
    else await standard(answer)
  },
})

export default class Stat extends Operation {
  static override summary = 'Show what is known about files and folders, with their paths.'
  static override description =
    'Each is a sheet of names and values at a terminal, a row of path, media type, size, time of change and ID in a pipe, and a whole record with --json. `drv files get` does the same with all that the operation can.'
  static override usage = 'stat FILE_ID... [FLAGS]'
  static override examples = examplesOf([
    ['Show all that is known about a file', 'stat /Reports/q3.pdf'],
    ['Look at a file of a shared drive', 'stat drive:Finance/budget.csv'],
    ['Get where a file lies', 'stat "$FILE_ID" --columns path'],
    [
      'Get the checksums of all PDF files',
      '$ drv find --type pdf --format ids | drv stat - --columns md5Checksum,path',
    ],
  ])
  static override flags: Interfaces.FlagInput = manyFlags

  /** Rows of several files have the columns that those of one file have. */
  protected override printerOptions() {
    const {columns} = this.context.options
    return {
      ...super.printerOptions(),
      adapt: (output: OutputFormat) =>
        output.isForPeople && !columns ? {...output, list: sheets} : output,
      columns: (output: OutputFormat) => (isPlainRows(output) ? COLUMNS : undefined),
    }
  }

  protected override async input(parsed: Parsed): Promise<CallInput> {
    const input = await super.input(parsed)
    if (this.context.options.columns || this.printer.output.fields) return input
    this.wantsPath = true
    const {fields: _, ...params} = input.params
    const wanted = [...new Set([...COLUMNS.slice(1), ...PATH_FIELDS])]
    // For a sheet, and for programs, it is all that is known.
    return {
      ...input,
      params: {...params, ...(isPlainRows(this.printer.output) && {fields: recordFields(wanted)})},
    }
  }
}

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
