import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {type Config, LOCAL_PROFILE, profileOf, withProfile} from '#lib/config/config.js'
import type {Settings} from '#lib/config/settings.js'

/**
 * What a sign-in notes about its profile. A new profile remembers the addresses it was signed in
 * to, and becomes the one in use where none was chosen; one that has addresses keeps them, and the
 * built-in profile never gets any.
 */
export function noteProfile(config: Config, settings: Settings): Config {
  const {profile, baseUrl, authUrl, clientId} = settings
  if (profile === LOCAL_PROFILE || profileOf(config, profile)?.baseUrl) return config
  const noted = withProfile(config, profile, known => ({
    ...known,
    baseUrl,
    authUrl,
    ...(clientId !== BUILTIN_CLIENT_ID && {clientId}),
  }))
  return {...noted, profile: config.profile ?? profile}
}
