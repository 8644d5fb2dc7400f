import {Args} from '@oclif/core'
import {KeychainError} from '#lib/auth/store/keychain.js'
import {stores} from '#lib/auth/store/stores.js'
import {forgetProfile} from '#lib/auth/store-token.js'
import {checkProfile} from '#lib/cli/account/profiles.js'
import {removeCompletionFiles} from '#lib/cli/context/completion-file.js'
import {yesFlag} from '#lib/cli/run/operation-command.js'
import {verb} from '#lib/cli/run/verb.js'
import {confirm} from '#lib/cli/terminal/confirm.js'
import {chosenProfile, LOCAL_BINDING, LOCAL_PROFILE, readConfig} from '#lib/config/config.js'
import {type ListedProfile, listProfiles, listSignIns} from '#lib/config/list-profiles.js'
import {requiredDirectory} from '#lib/config/paths.js'
import {SetupError} from '#lib/platform/setup-error.js'

export default verb({
  summary: 'Remove a profile and its tokens from this machine.',
  description:
    'If you remove the default profile, the built-in profile becomes the default. The built-in profile itself cannot be removed; the command only signs you out of it. The tokens stay valid until you revoke them at the service.',
  examples: [['Remove a profile without confirmation', 'auth remove work --yes']],
  args: {
    name: Args.string({description: 'Name of the profile.', required: true, ignoreStdin: true}),
  },
  flags: {yes: yesFlag},
  effect: 'may destroy',
  columns: ['profile', 'removed', 'signedOut.service', 'signedOut.user.login', 'inUse'],
  async run({args, flags}, context, printer) {
    const {name} = args
    const {environment, directories: places, caches, io, signal, note} = context
    const directory = requiredDirectory('config', places)
    const config = await readConfig(directory)
    checkProfile(name, listProfiles(config))
    const signIns = listSignIns(config, undefined).filter(
      ({profile, source}) => profile === name && source !== undefined,
    )
    if (await printer.preview('remove', `profile "${name}"`)) return
    if (!flags.yes && io.interactive) await confirm(confirmationText(name, signIns), io, signal)
    await forgetProfile({openStore: stores(places), directory}, name).catch((error: unknown) => {
      if (!(error instanceof SetupError)) throw error
      const why = error instanceof KeychainError ? error.sentence : error.message
      const text = `Cannot remove profile "${name}"; nothing was changed. ${why}`
      throw new SetupError(error.kind, text, {cause: error})
    })
    await removeCompletionFiles(caches, name)
    note(`${removedText(name)}${signedOutText(signIns)}.`)
    const inUse = chosenProfile(await readConfig(directory))
    if (chosenProfile(config) !== inUse) note(`The default profile is now "${inUse}".`)
    if (environment.DRV_PROFILE === name && name !== LOCAL_PROFILE) {
      note(`DRV_PROFILE is still set to "${name}". Unset it.`)
    }
    if (!printer.isStructured) return
    const signedOut = signIns.map(({service, user}) => ({service, user}))
    await printer.record({profile: name, removed: name !== LOCAL_PROFILE, signedOut, inUse})
  },
})

function confirmationText(name: string, signIns: readonly ListedProfile[]): string {
  const whose = signIns.map(({user}) => user?.login ?? 'an unknown user').join(', ')
  const tokens = signIns.length === 1 ? 'the token' : 'the tokens'
  return signIns.length === 0
    ? `Remove profile "${name}"?`
    : `Remove profile "${name}" and ${tokens} of ${whose}?`
}

function removedText(name: string): string {
  return name === LOCAL_PROFILE
    ? `Kept the built-in profile "${name}"`
    : `Removed profile "${name}"`
}

/** `; signed out alice of https://files.example.com`, or nothing if nobody was signed in. */
function signedOutText(signIns: readonly ListedProfile[]): string {
  const parts = signIns.map(({service = 'its service', user}) => {
    const where = service === LOCAL_BINDING ? 'the local service' : service
    return `; signed ${user?.login ?? 'an unknown user'} out of ${where}`
  })
  return parts.join('')
}
