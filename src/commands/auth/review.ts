import {openBrowser} from '#lib/auth/flows/browser.js'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {pageAddress} from '#lib/cli/context/context.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class Review extends BaseCommand {
  static override summary = 'Open the page where you see and revoke what the app may do.'
  static override description =
    'The address is written to standard output, and opened in a browser at a terminal. The service inside drv shows the page until the command ends.'
  static override examples = examplesOf([['See what the app may do', 'auth review']])

  #end: (() => void) | undefined

  protected override columnNames() {
    return ['url']
  }

  protected override async execute(): Promise<void> {
    await this.parse(Review)
    const {io, environment, note} = this.context
    const {clientId, embedded} = await this.context.settings()
    const addresses = await this.context.addresses()
    const path = `/settings/connections/applications/${encodeURIComponent(clientId)}`
    const url = pageAddress(addresses, addresses.authUrl + path)
    const ended = embedded ? new Promise<void>(resolve => (this.#end = resolve)) : undefined
    if (this.printer.isStructured) await this.printer.record({url})
    else await this.printer.print(`${url}\n`)
    if (io.interactive && !(await openBrowser(url, environment.BROWSER))) {
      note('No browser could be started: open the address yourself.')
    }
    if (!ended) return
    note('The page is there until this command ends. Ctrl-C ends it.')
    await ended
  }

  /** Where the page is served from here, being stopped is how the command ends well. */
  protected override onSignal(name: NodeJS.Signals): void {
    if (this.#end) this.#end()
    else super.onSignal(name)
  }
}
