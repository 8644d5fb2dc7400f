import {openBrowser} from '../../lib/auth/flows/browser.js'
import {BaseCommand} from '../../lib/cli/command/base.js'
import {CommandError} from '../../lib/cli/command/errors.js'
import {examplesOf} from '../../lib/cli/command/operationhelp.js'
import {fileArg, linkOf} from '../../lib/cli/naming/link.js'

export default class FilesOpen extends BaseCommand {
  static override summary = 'Open a file in a browser.'
  static override description =
    'The browser is the one that BROWSER names, else the one of the system. `drv files url` prints the address instead.'
  static override examples = examplesOf([
    ['Open a folder', 'files open /Reports'],
    ['Open it with another browser', '$ BROWSER=firefox drv files open /Reports'],
  ])
  static override args = fileArg

  protected override readonly isHarmless = true

  protected override columnNames() {
    return ['alternateLink']
  }

  protected override async execute(): Promise<void> {
    const {args} = await this.parse(FilesOpen)
    const {context} = this
    const alternateLink = await linkOf(context, args.file_id)
    if (await openBrowser(alternateLink, context.environment.BROWSER)) {
      context.note(`Opened ${alternateLink}`)
      if (this.isStructured) await this.printRecord({alternateLink})
      return
    }
    throw new CommandError(
      'failed',
      `No browser could be started for ${alternateLink}.`,
      'Name one in the variable BROWSER, or open the address yourself.',
    )
  }
}
