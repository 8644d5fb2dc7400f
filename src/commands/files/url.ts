import {BaseCommand} from '#lib/cli/run/base-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {fileArg, linkOf} from '#lib/cli/input/links.js'

export default class FilesUrl extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'Print the address of a file in a browser.'
  static override description =
    'It is the alternateLink of the file. Who may open it, `drv permissions list` shows.'
  static override examples = examplesOf([['Print the address', 'files url /Reports/q3.pdf']])
  static override args = fileArg

  protected override columnNames() {
    return ['alternateLink']
  }

  protected override async execute(): Promise<void> {
    const {args} = await this.parse(FilesUrl)
    const alternateLink = await linkOf(this.context, args.file_id)
    if (this.printer.isStructured) await this.printer.record({alternateLink})
    else await this.printer.print(`${alternateLink}\n`)
  }
}
