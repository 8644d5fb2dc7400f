import {Flags} from '@oclif/core'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {clientIdArg} from '#lib/cli/local/apps.js'
import {knownApp} from '#lib/cli/local/names.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'Suspend an app of the local service and its tokens.',
  examples: [
    ['Suspend an app', 'local app suspend "$CLIENT_ID"'],
    ['Lift the suspension', 'local app suspend "$CLIENT_ID" --undo'],
  ],
  args: clientIdArg,
  flags: {
    ...dataFlag,
    undo: Flags.boolean({summary: 'Lift the suspension instead.'}),
  },
  effect: 'changes',
  columns: ['client_id', 'name', 'suspended'],
  async run({args, flags}, context, printer) {
    const {suspendApp} = await import('#lib/service/oauth/store/apps.js')
    const store = await openData(flags.data, context)
    const {client_id, name} = await knownApp(store, args.client_id)
    if (await printer.preview(flags.undo ? 'unsuspend' : 'suspend', `app ${name}`)) return
    suspendApp(store, client_id, !flags.undo)
    await printer.record({client_id, name, suspended: !flags.undo})
  },
})
