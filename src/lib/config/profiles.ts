import {parseUrl} from '#lib/api/parse-url.js'
import {type Config, type KnownUser, noteOf, profileOf, type StoreKind} from './config.js'
import {LOCAL_BINDING, LOCAL_PROFILE} from './resolve.js'
import type {Settings} from './settings.js'

/** A profile at a service, as far as it is noted, without asking anybody. */
export interface ListedProfile {
  readonly profile: string
  /** `local`, or the address of the file service; `undefined` for a profile that lost it. */
  readonly service?: string
  readonly clientId?: string
  /** Who is signed in there. */
  readonly user?: KnownUser
  /** Where the token lies. */
  readonly source?: StoreKind
}

/** All profiles by name, each at its own service; the built-in one is always there. */
export function listProfiles(config: Config): readonly ListedProfile[] {
  return namesOf(config).map(profile => {
    const service = ownService(config, profile)
    return listed(config, profile, service, service && bindingOf(service))
  })
}

/** What settings say about where a command works. */
type Place = Pick<Settings, 'profile' | 'binding'> & {readonly baseUrl?: string}

/**
 * The same, and with each profile the other services that somebody signed in to as it, as with
 * DRV_BASE_URL. `current` is where commands work now; it is in the list in any case.
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
  const note = binding === undefined ? undefined : noteOf(config, profile, binding)
  const {clientId} = profileOf(config, profile) ?? {}
  return {profile, service, clientId, user: note?.user, source: note?.store}
}

/** Where a profile works unless the environment says otherwise. */
function ownService(config: Config, profile: string): string | undefined {
  const {baseUrl, authUrl} = profileOf(config, profile) ?? {}
  return baseUrl ?? authUrl ?? (profile === LOCAL_PROFILE ? LOCAL_BINDING : undefined)
}

/** The profile that is used where nothing else is said. */
export function chosenProfile(config: Config): string {
  return config.profile || LOCAL_PROFILE
}

/** What tokens for a service are bound to. */
function bindingOf(service: string): string | undefined {
  if (service === LOCAL_BINDING) return LOCAL_BINDING
  return parseUrl(service)?.origin
}
