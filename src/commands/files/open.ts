import {BaseCommand} from '#lib/cli/run/base-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {fileArg, openInBrowser} from '#lib/cli/input/links.js'

export default class FilesOpen extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'Open a file in a browser.'
  static override description =
    'The browser is the one that BROWSER names, else the one of the system. `drv files url` prints the address instead.'
  static override examples = examplesOf([['Open a folder', 'files open /Reports']])
  static override args = fileArg

  protected override columnNames() {
    return ['alternateLink']
  }

  protected override async execute(): Promise<void> {
    const {args} = await this.parse(FilesOpen)
    const {context} = this
    const alternateLink = await openInBrowser(context, args.file_id)
    context.note(`Opened ${alternateLink}`)
    if (this.printer.isStructured) await this.printer.record({alternateLink})
  }
}
