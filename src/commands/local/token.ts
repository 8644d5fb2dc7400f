import {Flags} from '@oclif/core'
import {DURATION_HINT, durationIn} from '#lib/api/moment.js'
import {dataFlag, makeToken, openData} from '#lib/cli/context/local-service.js'
import {timeOfService} from '#lib/cli/local/running.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'

export default verb({
  summary: 'Create an access token for the local service and print it.',
  description:
    'Prints nothing but the token, so that scripts can use the output. The token cannot be shown again: the service stores only a hash. Creates the user if it does not exist.',
  examples: [
    ['Create a token with all scopes', 'local token'],
    ['Create a token that expires after 15 minutes', 'local token --expires 15m'],
    ['Create a read-only token for a second user', 'local token --user ada --scope drive.readonly'],
  ],
  flags: {
    ...dataFlag,
    user: Flags.string({
      summary: 'User that the token belongs to (default: local).',
      helpValue: 'LOGIN',
    }),
    scope: Flags.string({
      summary: 'Scope of the token; may be repeated (default: all scopes).',
      helpValue: 'SCOPE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    expires: Flags.string({
      summary: 'Lifetime of the token, such as 15m or 8h (default: until revoked).',
      helpValue: 'TIME',
    }),
  },
  effect: 'changes',
  columns: ['token'],
  async run({flags}, context, printer) {
    const lifetime = lifetimeOf(flags.expires)
    const store = await openData(flags.data, context)
    if (await printer.preview('create', `token${flags.user ? ` of ${flags.user}` : ''}`)) return
    const request = {user: flags.user, scopes: flags.scope, lifetime, note: 'drv local token'}
    const token = await makeToken(store, request, await timeOfService(store.directory, context.now))
    if (printer.isStructured) return printer.record({token})
    await printer.print(`${token}\n`)
  },
})

/** Reads `--expires` as milliseconds. Throws `UsageError` for an invalid duration. */
function lifetimeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const lifetime = durationIn(text)
  if (lifetime !== undefined && lifetime > 0) return lifetime
  throw new UsageError(`Invalid --expires: "${text}" is not a duration.`, DURATION_HINT)
}
