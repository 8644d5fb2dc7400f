import {Args, Flags} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {knownUser} from '#lib/cli/local/names.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class LocalUserSuspend extends BaseCommand {
  static override effect = 'changes' as const
  static override summary =
    'Block a user of the local service: the account and its tokens open nothing.'
  static override examples = examplesOf([
    ['Block a user', 'local user suspend ada'],
    ['Let a user in again', 'local user suspend ada --undo'],
  ])
  static override args = {
    login: Args.string({description: 'Login of the user.', required: true, ignoreStdin: true}),
  }
  static override flags = {
    ...dataFlag,
    undo: Flags.boolean({summary: 'Let it work again instead.'}),
  }

  protected override columnNames() {
    return ['login', 'email', 'suspended']
  }

  protected override async execute(): Promise<void> {
    const {args, flags} = await this.parse(LocalUserSuspend)
    const {suspendUser} = await import('#lib/service/store/users.js')
    const store = await openData(flags.data, this.context)
    const user = await knownUser(store, args.login)
    if (await this.printer.preview(flags.undo ? 'let in again' : 'suspend', `user ${user.login}`))
      return
    suspendUser(store, user, !flags.undo, this.context.now())
    await this.printer.record({login: user.login, email: user.email, suspended: !flags.undo})
  }
}
