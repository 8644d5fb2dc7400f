import {BaseCommand} from '#lib/cli/run/base-command.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

const COLUMNS = ['id', 'name', 'sso', 'drives']

export default class LocalOrgList extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'List the organizations of the local service.'
  static override examples = examplesOf([['List all organizations', 'local org list']])
  static override flags = {...dataFlag}

  protected override columnNames() {
    return COLUMNS
  }

  protected override async execute(): Promise<void> {
    const {flags} = await this.parse(LocalOrgList)
    const {allOrganizations} = await import('#lib/service/oauth/store/organizations.js')
    const store = await openData(flags.data, this.context)
    const records = allOrganizations(store).map(({id, name, sso, drives}) => ({
      id,
      name,
      sso: sso === 1,
      drives,
    }))
    await this.printer.records(records, COLUMNS, 'org')
  }
}
