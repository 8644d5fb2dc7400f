import {Args, Flags} from '@oclif/core'
import {segmentProblem} from '#lib/api/steps.js'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {APP_COLUMNS, appFlags, appName, shownApp, readAppFlags} from '#lib/cli/local/apps.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class LocalAppCreate extends BaseCommand {
  static override effect = 'changes' as const
  static override summary = 'Register an app with the local service.'
  static override description =
    'The client secret is written this once: the service keeps a hash. The app has the device flow with --device-flow only, and the web flow with --callback-url only.'
  static override examples = examplesOf([
    ['Register an app for the device flow', 'local app create "Photo Sync" --device-flow'],
    [
      'Register one for the web flow',
      'local app create Website --callback-url https://app.example.com/back',
    ],
    [
      'Register one that opens text',
      'local app create Notes --device-flow --mime-type text/plain --extension md',
    ],
  ])
  static override args = {
    name: Args.string({
      description: 'What people are shown when they authorize it.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    ...dataFlag,
    ...appFlags,
    'client-id': Flags.string({summary: 'Its client ID; made up unless given.', helpValue: 'ID'}),
    public: Flags.boolean({summary: 'It cannot keep a secret, so it gets none.'}),
  }

  protected override columnNames() {
    return [...APP_COLUMNS, 'client_secret']
  }

  protected override async execute(): Promise<void> {
    const {args, flags} = await this.parse(LocalAppCreate)
    const {appById, createApp} = await import('#lib/service/oauth/store/apps.js')
    const name = appName(args.name)
    const wish = await readAppFlags(flags, false)
    const {'client-id': clientId, public: isPublic} = flags
    if (clientId !== undefined && !isClientId(clientId)) {
      throw new UsageError(
        'A client ID has up to 100 letters, digits and the signs . _ and -, and is more than dots.',
      )
    }
    const store = await openData(flags.data, this.context)
    if (clientId !== undefined && appById(store, clientId)) {
      throw new CommandError('conflict', `There is an app with the client ID ${clientId} already.`)
    }
    if (await this.printer.preview('create', `app ${name}`)) return
    const made = createApp(store, {...wish, name, clientId, isPublic}, this.context.now())
    if (made.secret) this.context.note('The secret is shown only this once.')
    if (!wish.deviceFlow && !wish.callbackUrl) {
      this.context.note(
        `Nobody can sign in with it yet: give it --device-flow or --callback-url with \`drv local app update ${made.clientId}\`.`,
      )
    }
    await this.printer.record(await shownApp(appById(store, made.clientId)!, made.secret))
  }
}

/** What `DRV_CLIENT_ID` is refused for is no app's: it stands in addresses. */
function isClientId(text: string): boolean {
  return /^[\w.-]{1,100}$/.test(text) && segmentProblem(text) === undefined
}
