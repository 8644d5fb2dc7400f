import {Args, Flags} from '@oclif/core'
import {BaseCommand} from '../../../lib/cli/base.js'
import {CommandError, UsageError} from '../../../lib/cli/errors.js'
import {dataFlag, openData} from '../../../lib/cli/local.js'
import {examplesOf} from '../../../lib/cli/operation.js'

export default class LocalAppCreate extends BaseCommand {
  static override enableJsonFlag = false
  static override baseFlags = BaseCommand.baseFlags
  static override summary = 'Register an app with the local service.'
  static override description =
    'The client secret is written this once: the service keeps a hash. Without --callback-url the app has no web flow.'
  static override examples = examplesOf([
    ['An app for the device flow', 'local app create "Photo Sync"'],
    [
      'One for the web flow alone',
      'local app create Website --callback-url https://app.example/back --no-device-flow',
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
    'callback-url': Flags.string({
      summary: 'Where the web flow sends people back to.',
      helpValue: 'URL',
    }),
    'home-url': Flags.string({summary: "The app's own page.", helpValue: 'URL'}),
    'client-id': Flags.string({summary: 'Its client ID; made up unless given.', helpValue: 'ID'}),
    'device-flow': Flags.boolean({
      summary: 'Let it sign in with the device flow.',
      default: true,
      allowNo: true,
    }),
    public: Flags.boolean({summary: 'It cannot keep a secret, so it gets none.'}),
  }

  protected override async execute(): Promise<void> {
    const {args, flags} = await this.parse(LocalAppCreate)
    const {appById, createApp, isCallbackUrl} = await import('../../../lib/service/oauth/apps.js')
    const name = args.name.trim()
    const {'callback-url': callbackUrl, 'home-url': homeUrl, 'client-id': clientId} = flags
    if (name === '' || name.length > 100) {
      throw new UsageError('The name of an app has 1 to 100 characters.')
    }
    if (callbackUrl !== undefined && !isCallbackUrl(callbackUrl)) {
      throw new UsageError(
        `--callback-url must be a whole address without # and password, not "${callbackUrl}".`,
      )
    }
    if (homeUrl !== undefined && !/^https?:\/\/[^\s]+$/.test(homeUrl)) {
      throw new UsageError(`--home-url must be an http or https address, not "${homeUrl}".`)
    }
    if (clientId !== undefined && !/^[\w.-]{1,100}$/.test(clientId)) {
      throw new UsageError('A client ID has up to 100 letters, digits and the signs . _ and -.')
    }
    const store = await openData(flags.data, this.context)
    if (clientId !== undefined && appById(store, clientId)) {
      throw new CommandError('conflict', `There is an app with the client ID ${clientId} already.`)
    }
    const made = createApp(
      store,
      {
        name,
        clientId,
        callbackUrl,
        homeUrl,
        deviceFlow: flags['device-flow'],
        isPublic: flags.public,
      },
      this.context.now(),
    )
    if (made.secret) this.context.note('The secret is shown only this once.')
    await this.printRecord({
      client_id: made.clientId,
      ...(made.secret !== undefined && {client_secret: made.secret}),
      name,
      callback_url: callbackUrl ?? null,
      device_flow: flags['device-flow'],
    })
  }
}
