import {chosenProfile, type Config, listSignIns, LOCAL_BINDING} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'

/**
 * What a person has to know for whom later commands would work elsewhere than the sign-in that has
 * just worked; `undefined` where they work with it. `config` is what that has left.
 */
export function laterText(
  {profile, binding}: Pick<Settings, 'profile' | 'binding'>,
  config: Config,
  {DRV_PROFILE}: NodeJS.ProcessEnv,
): string | undefined {
  const own = listSignIns(config, {profile, binding}).find(row => row.profile === profile)
  if (own && !own.inUse) {
    const place = own.service === LOCAL_BINDING ? 'the service inside drv' : own.service
    return `Profile "${profile}" itself is of ${place ?? 'no service'}: this sign-in counts while DRV_BASE_URL is set. To have the address remembered, sign in with --profile and a new name.`
  }
  const chosen = chosenProfile(config)
  if (chosen === profile || DRV_PROFILE === profile) return undefined
  return `Other commands still work with profile "${chosen}": \`drv auth switch ${profile}\` changes that, --profile ${profile} does it for one.`
}
