import {Args, Flags} from '@oclif/core'
import {segmentProblem} from '#lib/api/url-paths.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {APP_COLUMNS, appFlags, appName, readAppFlags, shownApp} from '#lib/cli/local/apps.js'
import {verb} from '#lib/cli/run/verb.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'

export default verb({
  summary: 'Register an app with the local service.',
  description:
    'The client secret is written this once: the service keeps a hash. The app has the device flow with --device-flow only, and the web flow with --callback-url only.',
  examples: [
    ['Register an app for the device flow', 'local app create "Photo Sync" --device-flow'],
    [
      'Register one for the web flow',
      'local app create Website --callback-url https://app.example.com/back',
    ],
    [
      'Register one whose tokens expire, to test refreshing them',
      'local app create Sync --device-flow --expires 8h --reuse-interval 10s',
    ],
    [
      'Register one that opens text',
      'local app create Notes --device-flow --mime-type text/plain --extension md',
    ],
  ],
  args: {
    name: Args.string({
      description: 'What people are shown when they authorize it.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...dataFlag,
    ...appFlags,
    'client-id': Flags.string({summary: 'Its client ID; made up unless given.', helpValue: 'ID'}),
    public: Flags.boolean({summary: 'It cannot keep a secret, so it gets none.'}),
  },
  effect: 'changes',
  columns: [...APP_COLUMNS, 'client_secret'],
  async run({args, flags}, context, printer) {
    const {appById, createApp} = await import('#lib/service/oauth/store/apps.js')
    const name = appName(args.name)
    const wish = await readAppFlags(flags, false)
    const {'client-id': clientId, public: isPublic} = flags
    if (clientId !== undefined && !isClientId(clientId)) {
      throw new UsageError(
        'A client ID has up to 100 letters, digits and the signs . _ and -, and is more than dots.',
      )
    }
    const store = await openData(flags.data, context)
    if (clientId !== undefined && appById(store, clientId)) {
      throw new CommandError('conflict', `There is an app with the client ID ${clientId} already.`)
    }
    if (await printer.preview('create', `app ${name}`)) return
    const made = createApp(store, {...wish, name, clientId, isPublic}, context.now())
    if (made.secret) context.note('The secret is shown only this once.')
    if (!wish.deviceFlow && !wish.callbackUrl) {
      context.note(
        `Nobody can sign in with it yet: give it --device-flow or --callback-url with \`drv local app update ${made.clientId}\`.`,
      )
    }
    await printer.record(await shownApp(appById(store, made.clientId)!, made.secret))
  },
})

/** What `DRV_CLIENT_ID` is refused for is no app's: it stands in addresses. */
function isClientId(text: string): boolean {
  return /^[\w.-]{1,100}$/.test(text) && segmentProblem(text) === undefined
}
