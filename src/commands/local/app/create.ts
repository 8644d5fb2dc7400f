import {Args, Flags} from '@oclif/core'
import {segmentProblem} from '#lib/api/url-paths.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {APP_COLUMNS, appFlags, appName, appRecord, readAppFlags} from '#lib/cli/local/apps.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'

export default verb({
  summary: 'Register an app with the local service.',
  description:
    'Prints the client secret once: the service stores only a hash. The app can use the device flow only with --device-flow, and the web flow only with --callback-url.',
  examples: [
    ['Register an app for the device flow', 'local app create "Photo Sync" --device-flow'],
    [
      'Register an app for the web flow',
      'local app create Website --callback-url https://app.example.com/back',
    ],
    [
      'Register an app with expiring tokens, to test refreshing them',
      'local app create Sync --device-flow --expires 8h --reuse-interval 10s',
    ],
    [
      'Register an app that opens text files',
      'local app create Notes --device-flow --mime-type text/plain --extension md',
    ],
  ],
  args: {
    name: Args.string({
      description: 'Name shown to users when they authorize the app.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...dataFlag,
    ...appFlags,
    'client-id': Flags.string({
      summary: 'Client ID of the app (default: generated).',
      helpValue: 'ID',
    }),
    public: Flags.boolean({summary: 'Create a public client, without a client secret.'}),
  },
  effect: 'changes',
  columns: [...APP_COLUMNS, 'client_secret'],
  async run({args, flags}, context, printer) {
    const {appById, createApp} = await import('#lib/service/oauth/store/apps.js')
    const name = appName(args.name)
    const settings = await readAppFlags(flags, false)
    const {'client-id': clientId, public: isPublic} = flags
    if (clientId !== undefined && !isClientId(clientId)) {
      throw new UsageError(
        `Invalid client ID ${JSON.stringify(clientId)}.`,
        'Use up to 100 letters, digits, dots, underscores and hyphens, and not only dots.',
      )
    }
    const store = await openData(flags.data, context)
    if (clientId !== undefined && appById(store, clientId)) {
      throw new CommandError('conflict', `An app with the client ID ${clientId} already exists.`)
    }
    if (await printer.preview('create', `app ${name}`)) return
    const created = createApp(store, {...settings, name, clientId, isPublic}, context.now())
    if (created.secret) context.note('Copy the client secret now: it is not shown again.')
    if (!settings.deviceFlow && !settings.callbackUrl) {
      context.note(
        `The app has no sign-in flow yet: add one with \`drv local app update ${created.clientId}\` and --device-flow or --callback-url.`,
      )
    }
    await printer.record(await appRecord(appById(store, created.clientId)!, created.secret))
  },
})

/** Applies the same rules as `DRV_CLIENT_ID`, because client IDs are part of URLs. */
function isClientId(text: string): boolean {
  return /^[\w.-]{1,100}$/.test(text) && segmentProblem(text) === undefined
}
