import {Args, Flags} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class LocalUserCreate extends BaseCommand {
  static override effect = 'changes' as const
  static override summary = 'Make a user of the local service.'
  static override description =
    'Users have no password: the service is there for this machine alone.'
  static override examples = examplesOf([
    ['Create a second user', 'local user create alan'],
    [
      'Create one with a name',
      'local user create grace --name "Grace Hopper" --email hopper@example.com',
    ],
  ])
  static override args = {
    login: Args.string({
      description: 'Up to 39 letters, digits and hyphens.',
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    ...dataFlag,
    name: Flags.string({summary: 'Full name; the login unless given.', helpValue: 'NAME'}),
    email: Flags.string({
      summary: 'Address; LOGIN@example.com unless given.',
      helpValue: 'EMAIL',
    }),
    unverified: Flags.boolean({
      summary: 'The address is not verified, so no app gets a token in the web flow.',
    }),
  }

  protected override columnNames() {
    return ['login', 'id', 'name', 'email', 'email_verified']
  }

  protected override async execute(): Promise<void> {
    const {args, flags} = await this.parse(LocalUserCreate)
    const [{accountProblem}, {createUser}] = await Promise.all([
      import('#lib/service/oauth/accountproblem.js'),
      import('#lib/service/store/users.js'),
    ])
    const store = await openData(flags.data, this.context)
    const {name, email, unverified} = flags
    const problem = accountProblem(store, args.login, email)
    if (problem) throw new UsageError(problem)
    if (await this.printer.preview('create', `user ${args.login}`)) return
    const user = createUser(
      store,
      {
        login: args.login,
        ...(name && {name}),
        ...(email && {email}),
        emailVerified: !unverified,
      },
      this.context.now(),
    )
    await this.printer.record({
      login: user.login,
      id: user.id,
      name: user.name,
      email: user.email,
      email_verified: !unverified,
    })
  }
}
