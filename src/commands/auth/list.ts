import {BaseCommand} from '../../lib/cli/base.js'
import {examplesOf} from '../../lib/cli/operation.js'
import {readConfig} from '../../lib/config/config.js'
import {directories, systemHome} from '../../lib/config/paths.js'
import {chosenProfile, listProfiles} from '../../lib/config/profiles.js'

export default class List extends BaseCommand {
  static override enableJsonFlag = false
  static override baseFlags = BaseCommand.baseFlags
  static override summary = 'List the profiles, and who is signed in to each.'
  static override description =
    'Tells what is noted on this machine and asks no service; `drv auth status` does.'
  static override examples = examplesOf([['List the profiles:', 'auth list']])

  protected override async execute(): Promise<void> {
    await this.parse(List)
    const {environment, options} = this.context
    const config = await readConfig(directories(environment, systemHome).config)
    const inUse = options.profile || environment.DRV_PROFILE || chosenProfile(config)
    const records = listProfiles(config).map(profile => ({
      ...profile,
      inUse: profile.profile === inUse,
    }))
    await this.printRecords(records, ['profile', 'inUse', 'service', 'user.login', 'source'])
  }
}
