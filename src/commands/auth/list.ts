import {BaseCommand} from '#lib/cli/run/base-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {readConfig} from '#lib/config/config.js'
import {listSignIns} from '#lib/config/profiles.js'

export default class List extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'List the profiles, and who is signed in to each.'
  static override description =
    'A profile has a line for each service that somebody signed in to as it. Tells what is noted on this machine and asks no service; `drv auth status` does.'
  static override examples = examplesOf([['List the profiles', 'auth list']])

  protected override columnNames() {
    return ['profile', 'inUse', 'service', 'clientId', 'user.id', 'user.login', 'source']
  }

  protected override async execute(): Promise<void> {
    await this.parse(List)
    const config = await readConfig(this.context.directories.config)
    // What is noted can be seen even where nobody could work.
    const current = await this.context.settings().catch(() => undefined)
    const records = listSignIns(config, current).map(row => ({...row}))
    await this.printer.records(
      records,
      ['profile', 'inUse', 'service', 'user.login', 'source'],
      'sign-in',
    )
  }
}
