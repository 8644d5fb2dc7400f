import {openBrowser} from '#lib/auth/flows/waiting.js'
import {pageAddress} from '#lib/cli/context/context.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Open the page where you see and revoke what the app may do.',
  description:
    'The address is written to standard output, and opened in a browser at a terminal. The service inside drv shows the page until the command ends.',
  examples: [['See what the app may do', 'auth review']],
  effect: 'reads',
  columns: ['url'],
  async run(_input, context, printer) {
    const {io, environment, note} = context
    const {clientId, embedded} = await context.settings()
    const addresses = await context.addresses()
    const path = `/settings/connections/applications/${encodeURIComponent(clientId)}`
    const url = pageAddress(addresses, addresses.authUrl + path)
    // Where the page is served from here, being stopped is how the command ends well.
    const ended = embedded
      ? new Promise<void>(resolve => context.onSignal(() => resolve()))
      : undefined
    if (printer.isStructured) await printer.record({url})
    else await printer.print(`${url}\n`)
    if (io.interactive && !(await openBrowser(url, environment.BROWSER))) {
      note('No browser could be started: open the address yourself.')
    }
    if (!ended) return
    note('The page is there until this command ends. Ctrl-C ends it.')
    await ended
  },
})
