import {BaseCommand} from '../lib/cli/command/base.js'
import {examplesOf} from '../lib/cli/command/operationhelp.js'
import {fileArg, openInBrowser} from '../lib/cli/naming/link.js'

export default class Open extends BaseCommand {
  static override summary = 'Open a file or folder in the browser.'
  static override description =
    'The browser is the one that BROWSER names, else the one of the system. `drv url` prints the address instead.'
  static override examples = examplesOf([
    ['Open a folder', 'open /Reports'],
    ['Open it with another browser', '$ BROWSER=firefox drv open /Reports'],
  ])
  static override args = fileArg

  protected override columnNames() {
    return ['alternateLink']
  }

  protected override async execute(): Promise<void> {
    const {args} = await this.parse(Open)
    const {context} = this
    if (await this.showsOnly('open in a browser', args.file_id)) return
    const alternateLink = await openInBrowser(context, args.file_id)
    context.note(`Opened ${alternateLink}`)
    if (this.isStructured) await this.printRecord({alternateLink})
  }
}
