import {Args, Flags} from '@oclif/core'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {knownUser} from '#lib/cli/local/names.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Block a user of the local service: the account and its tokens open nothing.',
  examples: [
    ['Block a user', 'local user suspend ada'],
    ['Let a user in again', 'local user suspend ada --undo'],
  ],
  args: {
    login: Args.string({description: 'Login of the user.', required: true, ignoreStdin: true}),
  },
  flags: {
    ...dataFlag,
    undo: Flags.boolean({summary: 'Let it work again instead.'}),
  },
  effect: 'changes',
  columns: ['login', 'email', 'suspended'],
  async run({args, flags}, context, printer) {
    const {suspendUser} = await import('#lib/service/store/users.js')
    const store = await openData(flags.data, context)
    const user = await knownUser(store, args.login)
    if (await printer.preview(flags.undo ? 'let in again' : 'suspend', `user ${user.login}`)) return
    suspendUser(store, user, !flags.undo, context.now())
    await printer.record({login: user.login, email: user.email, suspended: !flags.undo})
  },
})
