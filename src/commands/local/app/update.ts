import {Flags} from '@oclif/core'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {
  APP_COLUMNS,
  appFlags,
  appName,
  appRecord,
  clientIdArg,
  readAppFlags,
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
      summary: 'Name shown to users when they authorize the app.',
      helpValue: 'NAME',
    }),
  ),
  'new-secret': Flags.boolean({summary: 'Replace the client secret with a new one.'}),
  public: Flags.boolean({
    summary: 'Remove the client secret, which makes the app a public client.',
    exclusive: ['new-secret'],
  }),
}

export default verb({
  summary: 'Change an app of the local service.',
  description:
    'Changes only the settings named by a flag. --mime-type and --extension replace the existing list. An empty value ("") removes a URL, a time or a list.',
  examples: [
    ['Enable the device flow', 'local app update "$CLIENT_ID" --device-flow'],
    ['Replace the client secret', 'local app update "$CLIENT_ID" --new-secret'],
    ['Let tokens expire after an hour', 'local app update "$CLIENT_ID" --expires 1h'],
    [
      'Set the file types that the app opens',
      'local app update "$CLIENT_ID" --mime-type image/png --extension png',
    ],
  ],
  args: clientIdArg,
  flags,
  effect: 'may destroy',
  columns: [...APP_COLUMNS, 'client_secret'],
  async run({args, flags: values}, context, printer) {
    const {appById, updateApp} = await import('#lib/service/oauth/store/apps.js')
    const {data, ...changes} = values
    const changed = Object.keys(flags).filter(name => name in changes)
    if (changed.length === 0) {
      throw new UsageError(
        'Nothing to change: pass at least one flag that changes a setting.',
        'Run `drv local app update --help` to see the flags.',
      )
    }
    const settings = await readAppFlags(changes, true)
    const name = values.name === undefined ? undefined : appName(values.name)
    const secret = values['new-secret'] ? 'new' : values.public ? 'none' : undefined
    if (secret && args.client_id === BUILTIN_CLIENT_ID) {
      throw new UsageError(
        `Cannot change the client secret of ${args.client_id}: drv signs in with it.`,
      )
    }
    const store = await openData(data, context)
    const {client_id, name: oldName} = await knownApp(store, args.client_id)
    if (await printer.preview('update', `app ${oldName}`)) return
    const updated = updateApp(store, client_id, {...settings, name, secret})
    if (updated.secret) context.note('Copy the client secret now: it is not shown again.')
    await printer.record(await appRecord(appById(store, client_id)!, updated.secret))
  },
})
