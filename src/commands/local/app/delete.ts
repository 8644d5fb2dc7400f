import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {clientIdArg} from '#lib/cli/local/apps.js'
import {knownApp} from '#lib/cli/local/names.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class LocalAppDelete extends BaseCommand {
  static override effect = 'destroys' as const
  static override summary = 'Remove an app from the local service, with all its tokens.'
  static override description = 'Files that it made stay.'
  static override examples = examplesOf([['Remove an app', 'local app delete "$CLIENT_ID"']])
  static override args = clientIdArg
  static override flags = {...dataFlag}

  protected override async execute(): Promise<void> {
    const {args, flags} = await this.parse(LocalAppDelete)
    const clientId = args.client_id
    if (clientId === BUILTIN_CLIENT_ID) {
      throw new UsageError('drv signs in as this app, so it stays.', 'It can be suspended.')
    }
    const {deleteApp} = await import('#lib/service/oauth/store/apps.js')
    const store = await openData(flags.data, this.context)
    const app = await knownApp(store, clientId)
    if (await this.printer.preview('delete', `app ${app.name}`)) return
    deleteApp(store, app.client_id, this.context.now())
    this.context.note(`The app ${app.name} is gone, and its tokens with it.`)
    if (this.printer.isStructured) await this.printer.record({})
  }
}
