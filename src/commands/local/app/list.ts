import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {APP_COLUMNS, appRecord} from '#lib/cli/local/apps.js'
import {verb} from '#lib/cli/run/verb.js'

export default verb({
  summary: 'List the apps of the local service.',
  examples: [['List all apps', 'local app list']],
  flags: {...dataFlag},
  effect: 'reads',
  columns: APP_COLUMNS,
  async run({flags}, context, printer) {
    const {allApps} = await import('#lib/service/oauth/store/apps.js')
    const store = await openData(flags.data, context)
    await printer.records(
      await Promise.all(allApps(store).map(app => appRecord(app))),
      ['client_id', 'name', 'callback_url', 'device_flow', 'public', 'suspended'],
      'app',
    )
  },
})
