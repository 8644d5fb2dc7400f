import {Flags} from '@oclif/core'
import {dataFlag, makeToken, openData} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Make an access token for the local service and write it.',
  description:
    'The token is written alone, for a script to take. Nobody can read it again: the service keeps a hash. A user that does not exist is made.',
  examples: [
    ['Make a token for everything', 'local token'],
    [
      'Make one for a second user who may only read',
      'local token --user ada --scope drive.readonly',
    ],
  ],
  flags: {
    ...dataFlag,
    user: Flags.string({
      summary: 'Login of the user the token is for; "local" unless given.',
      helpValue: 'LOGIN',
    }),
    scope: Flags.string({
      summary: 'What the token may do; may be repeated. Everything unless given.',
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
    const wish = {user: flags.user, scopes: flags.scope, note: 'drv local token'}
    const token = await makeToken(store, wish, context.now())
    if (printer.isStructured) return printer.record({token})
    await printer.print(`${token}\n`)
  },
})
