import {Flags} from '@oclif/core'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {
  APP_COLUMNS,
  appFlags,
  appName,
  clientIdArg,
  readAppFlags,
  shownApp,
} from '#lib/cli/local/apps.js'
import {knownApp} from '#lib/cli/local/names.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'

const flags = {
  ...dataFlag,
  ...appFlags,
  name: ranked(
    8,
    Flags.string({
      summary: 'What people are shown when they authorize it.',
      helpValue: 'NAME',
    }),
  ),
  'new-secret': Flags.boolean({summary: 'Give it a new secret; the old one ends.'}),
  public: Flags.boolean({
    summary: 'Take its secret away, since it cannot keep one.',
    exclusive: ['new-secret'],
  }),
}

export default verb({
  summary: 'Change an app of the local service.',
  description:
    'What no flag names stays as it is. The types or extensions that are given take the place of those it has; an empty value ("") takes an address, a time or all types away.',
  examples: [
    ['Turn the device flow on', 'local app update "$CLIENT_ID" --device-flow'],
    ['Give it a new secret, which ends the old one', 'local app update "$CLIENT_ID" --new-secret'],
    ['Let its tokens expire after an hour', 'local app update "$CLIENT_ID" --expires 1h'],
    ['Say what it opens', 'local app update "$CLIENT_ID" --mime-type image/png --extension png'],
  ],
  args: clientIdArg,
  flags,
  effect: 'may destroy',
  columns: [...APP_COLUMNS, 'client_secret'],
  async run({args, flags: given}, context, printer) {
    const {appById, updateApp} = await import('#lib/service/oauth/store/apps.js')
    const {data, ...wishes} = given
    const own = Object.keys(flags).filter(name => name in wishes)
    if (own.length === 0) {
      throw new UsageError('Nothing is to be changed: no flag says what.')
    }
    const wish = await readAppFlags(wishes, true)
    const name = given.name === undefined ? undefined : appName(given.name)
    const secret = given['new-secret'] ? 'new' : given.public ? 'none' : undefined
    if (secret && args.client_id === BUILTIN_CLIENT_ID) {
      throw new UsageError('drv signs in as this app with the secret that it has, so that stays.')
    }
    const store = await openData(data, context)
    const {client_id, name: oldName} = await knownApp(store, args.client_id)
    if (await printer.preview('update', `app ${oldName}`)) return
    const made = updateApp(store, client_id, {...wish, name, secret})
    if (made.secret) context.note('The secret is shown only this once.')
    await printer.record(await shownApp(appById(store, client_id)!, made.secret))
  },
})
