import {Flags} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {clientIdArg} from '#lib/cli/local/apps.js'
import {knownApp} from '#lib/cli/local/names.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class LocalAppSuspend extends BaseCommand {
  static override effect = 'changes' as const
  static override summary = 'Block an app of the local service: its tokens open nothing.'
  static override examples = examplesOf([
    ['Block an app', 'local app suspend "$CLIENT_ID"'],
    ['Let it work again', 'local app suspend "$CLIENT_ID" --undo'],
  ])
  static override args = clientIdArg
  static override flags = {
    ...dataFlag,
    undo: Flags.boolean({summary: 'Let it work again instead.'}),
  }

  protected override columnNames() {
    return ['client_id', 'name', 'suspended']
  }

  protected override async execute(): Promise<void> {
    const {args, flags} = await this.parse(LocalAppSuspend)
    const {suspendApp} = await import('#lib/service/oauth/store/apps.js')
    const store = await openData(flags.data, this.context)
    const {client_id, name} = await knownApp(store, args.client_id)
    if (await this.printer.preview(flags.undo ? 'let in again' : 'suspend', `app ${name}`)) return
    suspendApp(store, client_id, !flags.undo)
    await this.printer.record({client_id, name, suspended: !flags.undo})
  }
}
