import {Args} from '@oclif/core'
import {stores} from '#lib/auth/store/stores.js'
import {forgetProfile} from '#lib/auth/store-token.js'
import {checkProfile} from '#lib/cli/account/profiles.js'
import {removeCompletionFiles} from '#lib/cli/context/completion-file.js'
import {yes} from '#lib/cli/run/operation-command.js'
import {verb} from '#lib/cli/run/verb.js'
import {confirm} from '#lib/cli/terminal/confirm.js'
import {
  chosenProfile,
  type ListedProfile,
  listProfiles,
  listSignIns,
  LOCAL_BINDING,
  LOCAL_PROFILE,
  readConfig,
} from '#lib/config/config.js'
import {needed} from '#lib/config/paths.js'
import {SetupError} from '#lib/platform/setup-error.js'

export default verb({
  summary: 'Remove a profile from this machine, with its tokens.',
  description:
    'The profile that is in use may be removed too: the built-in one is used then, which itself loses its sign-ins only. The service still knows the tokens until you revoke them there.',
  examples: [['Remove a profile without a question', 'auth remove work --yes']],
  args: {
    name: Args.string({description: 'Name of the profile.', required: true, ignoreStdin: true}),
  },
  flags: {yes},
  effect: 'may destroy',
  columns: ['profile', 'removed', 'signedOut.service', 'signedOut.user.login', 'inUse'],
  async run({args, flags}, context, printer) {
    const {name} = args
    const {environment, directories: places, caches, io, signal, note} = context
    const directory = needed('config', places)
    const config = await readConfig(directory)
    checkProfile(name, listProfiles(config))
    const signIns = listSignIns(config, undefined).filter(
      ({profile, source}) => profile === name && source !== undefined,
    )
    if (await printer.preview('remove', `profile "${name}"`)) return
    if (!flags.yes && io.interactive) await confirm(questionOf(name, signIns), io, signal)
    await forgetProfile({openStore: stores(places), directory}, name).catch((error: unknown) => {
      if (!(error instanceof SetupError)) throw error
      throw new SetupError(error.kind, `${error.message} Nothing was removed.`, {cause: error})
    })
    await removeCompletionFiles(caches, name)
    note(`${done(name)}: ${outcome(signIns)}.`)
    const inUse = chosenProfile(await readConfig(directory))
    if (chosenProfile(config) !== inUse) note(`Profile "${inUse}" is used from now on.`)
    if (environment.DRV_PROFILE === name && name !== LOCAL_PROFILE) {
      note(`DRV_PROFILE is set to "${name}" and names it still; unset it.`)
    }
    if (!printer.isStructured) return
    const signedOut = signIns.map(({service, user}) => ({service, user}))
    await printer.record({profile: name, removed: name !== LOCAL_PROFILE, signedOut, inUse})
  },
})

function questionOf(name: string, signIns: readonly ListedProfile[]): string {
  const whose = signIns.map(({user}) => user?.login ?? 'somebody').join(', ')
  const tokens = signIns.length === 1 ? 'the token' : 'the tokens'
  return signIns.length === 0
    ? `Remove profile "${name}"?`
    : `Remove profile "${name}" and ${tokens} of ${whose}?`
}

function done(name: string): string {
  return name === LOCAL_PROFILE
    ? `The built-in profile "${name}" stays`
    : `Removed profile "${name}"`
}

/** `alice is signed out of https://files.example.com` */
function outcome(signIns: readonly ListedProfile[]): string {
  const parts = signIns.map(({service = 'its service', user}) => {
    const where = service === LOCAL_BINDING ? 'the local service' : service
    return `${user?.login ?? 'somebody'} is signed out of ${where}`
  })
  return parts.join(', ') || 'nobody was signed in'
}
