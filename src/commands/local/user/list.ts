import {BaseCommand} from '#lib/cli/run/base-command.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

const COLUMNS = ['login', 'id', 'name', 'email', 'email_verified', 'suspended']

export default class LocalUserList extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'List the users of the local service.'
  static override examples = examplesOf([['List all users', 'local user list']])
  static override flags = {...dataFlag}

  protected override columnNames() {
    return COLUMNS
  }

  protected override async execute(): Promise<void> {
    const {flags} = await this.parse(LocalUserList)
    const {allUsers, DEFAULT_LOGIN, ensureUser} = await import('#lib/service/store/users.js')
    const store = await openData(flags.data, this.context)
    ensureUser(store, DEFAULT_LOGIN, this.context.now())
    await this.printer.records(
      allUsers(store).map(user => ({
        login: user.login,
        id: user.id,
        name: user.name,
        email: user.email,
        email_verified: user.email_verified === 1,
        suspended: user.suspended === 1,
      })),
      COLUMNS,
      'user',
    )
  }
}
