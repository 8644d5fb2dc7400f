import {NO_BROWSER, openBrowser} from '#lib/auth/flows/waiting.js'
import {refuseStandard} from '#lib/cli/account/profiles.js'
import {refuseEmbedded} from '#lib/cli/context/embedded-service.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Open the page where you see and revoke what the app may do.',
  description:
    'The address is written to standard output, and opened in a browser at a terminal. The service inside drv shows its pages while `drv local serve` runs.',
  examples: [['See what the app may do', 'auth review']],
  effect: 'reads',
  columns: ['url'],
  async run(_input, context, printer) {
    const {io, environment, note} = context
    await refuseEmbedded(context)
    const settings = await context.settings()
    refuseStandard(
      settings,
      'page that drv knows for it',
      'Look there where your account lists the apps that have access.',
    )
    const {clientId} = settings
    const {authUrl} = await context.addresses()
    const url = `${authUrl}/settings/connections/applications/${encodeURIComponent(clientId)}`
    if (printer.isStructured) await printer.record({url})
    else await printer.print(`${url}\n`)
    if (io.interactive && !(await openBrowser(url, environment.BROWSER))) note(NO_BROWSER)
  },
})
