import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {verb} from '#lib/cli/run/verb.js'

const COLUMNS = ['id', 'name', 'sso', 'drives']

export default verb({
  summary: 'List the organizations of the local service.',
  examples: [['List all organizations', 'local org list']],
  flags: {...dataFlag},
  effect: 'reads',
  columns: COLUMNS,
  async run({flags}, context, printer) {
    const {allOrganizations} = await import('#lib/service/oauth/store/organizations.js')
    const store = await openData(flags.data, context)
    const records = allOrganizations(store).map(({id, name, sso, drives}) => ({
      id,
      name,
      sso: sso === 1,
      drives,
    }))
    await printer.records(records, COLUMNS, 'org')
  },
})
