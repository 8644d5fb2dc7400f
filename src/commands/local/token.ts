import {Flags} from '@oclif/core'
import {dataFlag, makeToken, openData} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Create an access token for the local service and print it.',
  description:
    'Prints nothing but the token, so that scripts can use the output. The token cannot be shown again: the service stores only a hash. Creates the user if it does not exist.',
  examples: [
    ['Create a token with all scopes', 'local token'],
    ['Create a read-only token for a second user', 'local token --user ada --scope drive.readonly'],
  ],
  flags: {
    ...dataFlag,
    user: Flags.string({
      summary: 'Login of the user of the token (default: local).',
      helpValue: 'LOGIN',
    }),
    scope: Flags.string({
      summary: 'Scope of the token; may be repeated (default: all scopes).',
      helpValue: 'SCOPE',
      multiple: true,
      multipleNonGreedy: true,
    }),
  },
  effect: 'changes',
  columns: ['token'],
  async run({flags}, context, printer) {
    const store = await openData(flags.data, context)
    if (await printer.preview('create', `token${flags.user ? ` of ${flags.user}` : ''}`)) return
    const request = {user: flags.user, scopes: flags.scope, note: 'drv local token'}
    const token = await makeToken(store, request, context.now())
    if (printer.isStructured) return printer.record({token})
    await printer.print(`${token}\n`)
  },
})
