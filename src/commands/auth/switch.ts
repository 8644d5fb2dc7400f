import {Args} from '@oclif/core'
import {checkProfile} from '#lib/cli/account/profiles.js'
import type {Context} from '#lib/cli/context/context.js'
import {verb} from '#lib/cli/run/verb.js'
import {chooseOne} from '#lib/cli/terminal/confirm.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {
  chosenProfile,
  type ListedProfile,
  listProfiles,
  lockConfig,
  readConfig,
  writeConfig,
} from '#lib/config/config.js'
import {needed} from '#lib/config/paths.js'

export default verb({
  summary: 'Choose the profile that later commands use.',
  description: 'At a terminal, without a name, it asks which one.',
  examples: [['Work with another profile from now on', 'auth switch work']],
  args: {
    name: Args.string({description: 'Name of the profile.', ignoreStdin: true}),
  },
  effect: 'changes',
  columns: ['profile'],
  async run({args}, context, printer) {
    const {environment, directories, note} = context
    const directory = needed('config', directories)
    const config = await readConfig(directory)
    const profiles = listProfiles(config)
    const name = args.name ?? (await choose(context, profiles, chosenProfile(config)))
    checkProfile(name, profiles)
    if (await printer.preview('switch', `profile "${name}"`)) return
    // Read anew: the choice may have taken a while.
    await lockConfig(directory, async () =>
      writeConfig(directory, {...(await readConfig(directory)), profile: name}),
    )
    const user = profiles.find(({profile}) => profile === name)?.user
    note(`Profile "${name}" is used from now on${user ? ` (${user.login})` : ''}.`)
    if (environment.DRV_PROFILE && environment.DRV_PROFILE !== name) {
      note(`DRV_PROFILE is set to "${environment.DRV_PROFILE}" and wins; unset it.`)
    }
    if (printer.isStructured) await printer.record({profile: name})
  },
})

async function choose(
  {io, signal}: Context,
  profiles: readonly ListedProfile[],
  chosen: string,
): Promise<string> {
  if (!io.interactive) {
    throw new UsageError('Name the profile to use.', '`drv auth list` shows them.')
  }
  const choices = profiles.map(({profile, service, user}) => ({
    value: profile,
    name: [profile, service, user?.login].filter(Boolean).join('  '),
  }))
  return chooseOne('Profile to use', choices, io, signal, chosen)
}
