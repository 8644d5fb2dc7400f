import {Args} from '@oclif/core'
import {checkProfile} from '#lib/cli/account/profiles.js'
import type {Context} from '#lib/cli/context/context.js'
import {verb} from '#lib/cli/run/verb.js'
import {chooseOne} from '#lib/cli/terminal/confirm.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {chosenProfile, lockConfig, readConfig, writeConfig} from '#lib/config/config.js'
import {type ListedProfile, listProfiles} from '#lib/config/list-profiles.js'
import {requiredDirectory} from '#lib/config/paths.js'

export default verb({
  summary: 'Set the default profile.',
  description: 'Without a name, prompts for a profile when run in a terminal.',
  examples: [['Use the profile "work" by default', 'auth switch work']],
  args: {
    name: Args.string({description: 'Name of the profile.', ignoreStdin: true}),
  },
  effect: 'changes',
  columns: ['profile'],
  async run({args}, context, printer) {
    const {environment, directories, note} = context
    const directory = requiredDirectory('config', directories)
    const config = await readConfig(directory)
    const profiles = listProfiles(config)
    const name = args.name ?? (await choose(context, profiles, chosenProfile(config)))
    checkProfile(name, profiles)
    if (await printer.preview('switch', `profile "${name}"`)) return
    // Read again: another command may have changed the file during the prompt.
    await lockConfig(directory, async () =>
      writeConfig(directory, {...(await readConfig(directory)), profile: name}),
    )
    const user = profiles.find(({profile}) => profile === name)?.user
    note(`The default profile is now "${name}"${user ? ` (${user.login})` : ''}.`)
    if (environment.DRV_PROFILE && environment.DRV_PROFILE !== name) {
      note(`DRV_PROFILE is set to "${environment.DRV_PROFILE}" and takes precedence. Unset it.`)
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
    throw new UsageError(
      'Missing NAME.',
      'Pass the name of a profile. To see all profiles, run `drv auth list`.',
    )
  }
  const choices = profiles.map(({profile, service, user}) => ({
    value: profile,
    name: [profile, service, user?.login].filter(Boolean).join('  '),
  }))
  return chooseOne('Profile to use', choices, io, signal, chosen)
}
