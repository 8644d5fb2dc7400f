import {notSignedIn} from '#lib/auth/session.js'
import {expiryText} from '#lib/cli/account/profiles.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Print the token in use, for other programs.',
  description:
    'Whoever has the token can do what you can do: do not let it get into logs or histories. With --json also when it ends, where it does; one that is about to end is renewed first. A program that works for longer asks again.',
  examples: [
    ['Print the token', 'auth token'],
    ['Give it to another program', '$ DRV_TOKEN="$(drv auth token)" sh script.sh'],
    ['Print it with its end', 'auth token --json'],
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
