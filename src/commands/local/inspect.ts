import {dataDirectory, dataFlag} from '#lib/cli/context/local-service.js'
import {control, requireRunning} from '#lib/cli/local/running.js'
import {verb} from '#lib/cli/run/verb.js'

const COLUMNS = ['url']

export default verb({
  summary: 'Print a link to the inspector of the running local service.',
  description:
    'The inspector is a page that shows the requests to the service as they arrive. There you can also move the clock of the service and replace its simulated failures. A link works once, within 5 minutes, and signs one browser in until the service stops. Other users of this machine cannot get a link.',
  examples: [
    ['Print a link', 'local inspect'],
    ['Open the inspector', '$ xdg-open "$(drv local inspect)"'],
  ],
  flags: dataFlag,
  effect: 'reads',
  usesToken: false,
  columns: COLUMNS,
  async run({flags}, context, printer) {
    const services = await requireRunning(dataDirectory(flags.data, context.environment))
    const rows = []
    for (const service of services) {
      const {path} = await control(service, 'inspect')
      rows.push({url: service.url + String(path)})
    }
    if (!printer.isStructured) return printer.print(rows.map(({url}) => `${url}\n`).join(''))
    if (rows.length === 1) return printer.record(rows[0]!)
    await printer.records(rows, COLUMNS)
  },
})
