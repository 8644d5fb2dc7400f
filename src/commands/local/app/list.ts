import {BaseCommand} from '#lib/cli/run/base-command.js'
import {dataFlag, openData} from '#lib/cli/context/local-service.js'
import {APP_COLUMNS, shownApp} from '#lib/cli/local/apps.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'

export default class LocalAppList extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'List the apps of the local service.'
  static override examples = examplesOf([['List all apps', 'local app list']])
  static override flags = {...dataFlag}

  protected override columnNames() {
    return APP_COLUMNS
  }

  protected override async execute(): Promise<void> {
    const {flags} = await this.parse(LocalAppList)
    const {allApps} = await import('#lib/service/oauth/store/apps.js')
    const store = await openData(flags.data, this.context)
    await this.printer.records(
      await Promise.all(allApps(store).map(app => shownApp(app))),
      ['client_id', 'name', 'callback_url', 'device_flow', 'public', 'suspended'],
      'app',
    )
  }
}
