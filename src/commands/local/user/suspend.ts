import {Args, Flags} from '@oclif/core'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {knownUser} from '#lib/cli/local/names.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Suspend a user of the local service and their tokens.',
  examples: [
    ['Suspend a user', 'local user suspend ada'],
    ['Lift the suspension', 'local user suspend ada --undo'],
  ],
  args: {
    login: Args.string({description: 'Login of the user.', required: true, ignoreStdin: true}),
  },
  flags: {
    ...dataFlag,
    undo: Flags.boolean({summary: 'Lift the suspension instead.'}),
  },
  effect: 'changes',
  columns: ['login', 'email', 'suspended'],
  async run({args, flags}, context, printer) {
    const {suspendUser} = await import('#lib/service/store/users.js')
    const store = await openData(flags.data, context)
    const user = await knownUser(store, args.login)
    if (await printer.preview(flags.undo ? 'unsuspend' : 'suspend', `user ${user.login}`)) return
    suspendUser(store, user, !flags.undo, context.now())
    await printer.record({login: user.login, email: user.email, suspended: !flags.undo})
  },
})
