import {Args, Flags} from '@oclif/core'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'

export default verb({
  summary: 'Create a user of the local service.',
  description: 'Users have no password: the service accepts connections from this machine only.',
  examples: [
    ['Create a second user', 'local user create alan'],
    [
      'Create a user with a full name and an email address',
      'local user create grace --name "Grace Hopper" --email hopper@example.com',
    ],
  ],
  args: {
    login: Args.string({
      description: 'Login of the user: up to 39 letters, digits and hyphens.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...dataFlag,
    name: ranked(8, Flags.string({summary: 'Full name (default: the login).', helpValue: 'NAME'})),
    email: Flags.string({
      summary: 'Email address (default: LOGIN@example.com).',
      helpValue: 'EMAIL',
    }),
    unverified: Flags.boolean({
      summary: 'Leave the address unverified, so that the web flow issues no tokens.',
    }),
  },
  effect: 'changes',
  columns: ['login', 'id', 'name', 'email', 'email_verified'],
  async run({args, flags}, context, printer) {
    const [{accountProblem}, {createUser}] = await Promise.all([
      import('#lib/service/oauth/account-problem.js'),
      import('#lib/service/store/users.js'),
    ])
    const store = await openData(flags.data, context)
    const {name, email, unverified} = flags
    const problem = accountProblem(store, args.login, email)
    if (problem) throw new UsageError(problem)
    if (await printer.preview('create', `user ${args.login}`)) return
    const user = createUser(
      store,
      {
        login: args.login,
        ...(name && {name}),
        ...(email && {email}),
        emailVerified: !unverified,
      },
      context.now(),
    )
    await printer.record({
      login: user.login,
      id: user.id,
      name: user.name,
      email: user.email,
      email_verified: !unverified,
    })
  },
})
