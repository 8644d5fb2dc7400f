import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {clientIdArg} from '#lib/cli/local/apps.js'
import {knownApp} from '#lib/cli/local/names.js'
import {verb} from '#lib/cli/run/verb.js'
import {UsageError} from '#lib/cli/terminal/errors.js'

export default verb({
  summary: 'Delete an app of the local service and all its tokens.',
  description: 'Keeps the files that the app created.',
  examples: [['Delete an app', 'local app delete "$CLIENT_ID"']],
  args: clientIdArg,
  flags: {...dataFlag},
  effect: 'destroys',
  async run({args, flags}, context, printer) {
    const clientId = args.client_id
    if (clientId === BUILTIN_CLIENT_ID) {
      throw new UsageError(
        `Cannot delete ${clientId}: drv signs in as this app.`,
        `To block it, run \`drv local app suspend ${clientId}\`.`,
      )
    }
    const {deleteApp} = await import('#lib/service/oauth/store/apps.js')
    const store = await openData(flags.data, context)
    const app = await knownApp(store, clientId)
    if (await printer.preview('delete', `app ${app.name}`)) return
    deleteApp(store, app.client_id, context.now())
    context.note(`Deleted the app ${app.name} and its tokens.`)
    if (printer.isStructured) await printer.record({})
  },
})
