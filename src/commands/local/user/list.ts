import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'

const COLUMNS = ['login', 'id', 'name', 'email', 'email_verified', 'suspended']

export default verb({
  summary: 'List the users of the local service.',
  examples: [['List all users', 'local user list']],
  flags: {...dataFlag},
  effect: 'reads',
  columns: COLUMNS,
  async run({flags}, context, printer) {
    const [{allUsers}, {defaultUser}] = await Promise.all([
      import('#lib/service/store/users.js'),
      import('#lib/service/store/seeded.js'),
    ])
    const store = await openData(flags.data, context)
    defaultUser(store, context.now())
    await printer.records(
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
  },
})
