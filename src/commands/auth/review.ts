import {NO_BROWSER, openBrowser} from '#lib/auth/flows/waiting.js'
import {refuseStandard} from '#lib/cli/account/profiles.js'
import {refuseEmbedded} from '#lib/cli/context/embedded-service.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: "Open the page to view and revoke the app's access.",
  description:
    'Prints the URL and, at a terminal, opens it in a browser. The pages of the local service exist only while `drv local serve` runs.',
  examples: [["View the app's access", 'auth review']],
  effect: 'reads',
  columns: ['url'],
  async run(_input, context, printer) {
    const {io, environment, note} = context
    await refuseEmbedded(context)
    const settings = await context.settings()
    refuseStandard(
      settings,
      'known page for this',
      'Open the list of connected apps in your account there.',
    )
    const {clientId} = settings
    const {authUrl} = await context.addresses()
    const url = `${authUrl}/settings/connections/applications/${encodeURIComponent(clientId)}`
    if (printer.isStructured) await printer.record({url})
    else await printer.print(`${url}\n`)
    if (io.interactive && !(await openBrowser(url, environment.BROWSER))) note(NO_BROWSER)
  },
})
