import {notSignedIn} from '#lib/auth/session.js'
import {expiryText} from '#lib/cli/account/profiles.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Print the token in use.',
  description:
    'Anyone with the token has your permissions: keep it out of logs and shell histories. A token that is about to expire is renewed first. With --json, the output includes the expiry, if there is one; a program that outlives the token should run the command again.',
  examples: [
    ['Print the token', 'auth token'],
    ['Pass the token to another program', '$ DRV_TOKEN="$(drv auth token)" sh script.sh'],
    ['Print the token with its expiry', 'auth token --json'],
  ],
  effect: 'reads',
  columns: ['token', 'expiresAt'],
  async run(_input, context, printer) {
    const found = await (await context.session()).find()
    if (!found) throw notSignedIn(await context.settings())
    const {token} = found
    if (printer.isStructured) return printer.record({token, expiresAt: expiryText(found)})
    await printer.print(`${token}\n`)
  },
})
