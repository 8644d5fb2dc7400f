import {Args} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {chooseOne} from '#lib/cli/terminal/confirm.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {checkProfile} from '#lib/cli/account/check-profile.js'
import {lockConfig, readConfig, writeConfig} from '#lib/config/config.js'
import {needed} from '#lib/config/paths.js'
import {chosenProfile, listProfiles, type ListedProfile} from '#lib/config/profiles.js'

export default class Switch extends BaseCommand {
  static override effect = 'changes' as const
  static override summary = 'Choose the profile that later commands use.'
  static override description = 'At a terminal, without a name, it asks which one.'
  static override examples = examplesOf([
    ['Work with another profile from now on', 'auth switch work'],
  ])
  static override args = {
    name: Args.string({description: 'Name of the profile.', ignoreStdin: true}),
  }

  protected override columnNames() {
    return ['profile']
  }

  protected override async execute(): Promise<void> {
    const {args} = await this.parse(Switch)
    const {environment, directories, note} = this.context
    const directory = needed('config', directories)
    const config = await readConfig(directory)
    const profiles = listProfiles(config)
    const name = args.name ?? (await this.choose(profiles, chosenProfile(config)))
    checkProfile(name, profiles)
    if (await this.printer.preview('switch', `profile "${name}"`)) return
    // Read anew: the choice may have taken a while.
    await lockConfig(directory, async () =>
      writeConfig(directory, {...(await readConfig(directory)), profile: name}),
    )
    const user = profiles.find(({profile}) => profile === name)?.user
    note(`Profile "${name}" is used from now on${user ? ` (${user.login})` : ''}.`)
    if (environment.DRV_PROFILE && environment.DRV_PROFILE !== name) {
      note(`DRV_PROFILE is set to "${environment.DRV_PROFILE}" and wins; unset it.`)
    }
    if (this.printer.isStructured) await this.printer.record({profile: name})
  }

  private async choose(profiles: readonly ListedProfile[], chosen: string): Promise<string> {
    const {io, signal} = this.context
    if (!io.interactive) {
      throw new UsageError('Name the profile to use.', '`drv auth list` shows them.')
    }
    const choices = profiles.map(({profile, service, user}) => ({
      value: profile,
      name: [profile, service, user?.login].filter(Boolean).join('  '),
    }))
    return chooseOne('Profile to use', choices, io, signal, chosen)
  }
}
