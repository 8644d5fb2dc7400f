import {type Config, type KnownUser, noteOf, type StoreKind} from './config.js'
import {LOCAL_BINDING, LOCAL_PROFILE} from './resolve.js'

/** A profile as far as it is noted, without asking anybody. */
export interface ListedProfile {
  readonly profile: string
  /** `local`, or the address of the file service; `undefined` for a profile that lost it. */
  readonly service?: string
  readonly clientId?: string
  /** Who is signed in to the profile's own service. */
  readonly user?: KnownUser
  /** Where the token lies. */
  readonly source?: StoreKind
}

/** All profiles by name; the built-in one is always there. */
export function listProfiles(config: Config): readonly ListedProfile[] {
  const names = new Set([LOCAL_PROFILE, ...Object.keys(config.profiles)])
  return [...names].sort().map(profile => {
    const {baseUrl, authUrl, clientId} = config.profiles[profile] ?? {}
    const address = baseUrl ?? authUrl
    const isLocal = profile === LOCAL_PROFILE && address === undefined
    const binding = isLocal ? LOCAL_BINDING : address && originOf(address)
    const note = binding === undefined ? undefined : noteOf(config, profile, binding)
    const service = isLocal ? LOCAL_BINDING : address
    return {profile, service, clientId, user: note?.user, source: note?.store}
  })
}

/** The profile that is used where nothing else is said. */
export function chosenProfile(config: Config): string {
  return config.profile || LOCAL_PROFILE
}

function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined
}
