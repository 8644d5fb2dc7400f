import {parseUrl} from '#lib/platform/values.js'
import {
  type Config,
  type KnownUser,
  LOCAL_BINDING,
  LOCAL_PROFILE,
  profileOf,
  signInOf,
  type StoreKind,
} from './config.js'

/** Lists profiles and their sign-ins. */

/** A profile and a service, as recorded in the configuration. */
export interface ListedProfile {
  readonly profile: string
  /** `local`, or the address of the file service; `undefined` if the profile has none. */
  readonly service?: string
  readonly clientId?: string
  /** The signed-in user. */
  readonly user?: KnownUser
  /** The store of the token. */
  readonly source?: StoreKind
}

/** All profiles by name, each with its own service; always includes the built-in profile. */
export function listProfiles(config: Config): readonly ListedProfile[] {
  return namesOf(config).map(profile => {
    const service = ownService(config, profile)
    return listed(config, profile, service, service && bindingOf(service))
  })
}

/** The profile and service of a command. */
interface Place {
  readonly profile: string
  readonly binding: string
  readonly baseUrl?: string
}

/**
 * All profiles, each with every service that it is signed in to, including those from DRV_BASE_URL. The list always
 * includes `current`, the profile and service in use.
 */
export function listSignIns(
  config: Config,
  current: Place | undefined,
): ReadonlyArray<ListedProfile & {readonly inUse: boolean}> {
  return namesOf(config, current?.profile).flatMap(profile => {
    const service = ownService(config, profile)
    const own = service && bindingOf(service)
    const isIn = profile === current?.profile
    const bindings = new Set(Object.keys(profileOf(config, profile)?.tokens ?? {}).sort())
    if (isIn) bindings.add(current.binding)
    if (own !== undefined) bindings.delete(own)
    return [
      {...listed(config, profile, service, own), inUse: isIn && own === current.binding},
      ...[...bindings].map(binding => {
        const inUse = isIn && binding === current.binding
        const address = inUse ? (current.baseUrl ?? binding) : binding
        return {...listed(config, profile, address, binding), inUse}
      }),
    ]
  })
}

function namesOf(config: Config, ...more: ReadonlyArray<string | undefined>): readonly string[] {
  const names = new Set([LOCAL_PROFILE, ...Object.keys(config.profiles), ...more])
  return [...names].filter(name => name !== undefined).sort()
}

function listed(
  config: Config,
  profile: string,
  service: string | undefined,
  binding: string | undefined,
): ListedProfile {
  const note = binding === undefined ? undefined : signInOf(config, profile, binding)
  const {clientId} = profileOf(config, profile) ?? {}
  return {profile, service, clientId, user: note?.user, source: note?.store}
}

/** The service of a profile, before environment variables. */
function ownService(config: Config, profile: string): string | undefined {
  const {baseUrl, authUrl} = profileOf(config, profile) ?? {}
  return baseUrl ?? authUrl ?? (profile === LOCAL_PROFILE ? LOCAL_BINDING : undefined)
}

/** The binding of tokens for a service: `local`, or its origin. */
function bindingOf(service: string): string | undefined {
  if (service === LOCAL_BINDING) return LOCAL_BINDING
  return parseUrl(service)?.origin
}
