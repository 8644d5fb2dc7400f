import {Args, Flags} from '@oclif/core'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'

export default verb({
  summary: 'Make a user of the local service.',
  description: 'Users have no password: the service is there for this machine alone.',
  examples: [
    ['Create a second user', 'local user create alan'],
    [
      'Create one with a name',
      'local user create grace --name "Grace Hopper" --email hopper@example.com',
    ],
  ],
  args: {
    login: Args.string({
      description: 'Up to 39 letters, digits and hyphens.',
      required: true,
      ignoreStdin: true,
    }),
  },
  flags: {
    ...dataFlag,
    name: ranked(
      8,
      Flags.string({summary: 'Full name; the login unless given.', helpValue: 'NAME'}),
    ),
    email: Flags.string({
      summary: 'Address; LOGIN@example.com unless given.',
      helpValue: 'EMAIL',
    }),
    unverified: Flags.boolean({
      summary: 'The address is not verified, so no app gets a token in the web flow.',
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
