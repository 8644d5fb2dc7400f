import {join} from 'node:path'
import {SetupError} from '#lib/platform/setup-error.js'
import {type StateFile, stateFile} from '#lib/platform/state-file.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {isObject, parseJson, parseUrl} from '#lib/platform/values.js'

/**
 * Profiles, environment and paths live here, in `config.json`. Tokens belong to ../auth, and nothing here sends anything.
 */

/** The built-in profile: the service inside the command. Used until another is made the default. */
export const LOCAL_PROFILE = 'local'
/** What the tokens of the embedded service are bound to. */
export const LOCAL_BINDING = 'local'

/** Where a token is kept. The embedded service's tokens are kept the same way as any other. */
export type StoreKind = 'keychain' | 'file'

/** Who a token belongs to. */
export interface KnownUser {
  /** The stable key of the account, where the service gave one; a login can change. */
  readonly id?: string
  readonly login: string
}

/** Whether an app got a token, or its owner made it by hand. */
export type TokenKind = 'app' | 'personal'

/** The server that gave a token: what it takes to renew and to revoke it, as it was found at sign-in. Nothing secret. */
export interface NotedServer {
  readonly clientId: string
  /** Address of an authorization service of the document's kind; `undefined` for the local one, which moves. */
  readonly authUrl?: string
  /** Of a standard server, with its addresses. */
  readonly issuer?: string
  readonly tokenUrl?: string
  readonly revocationUrl?: string
  /** How the app's secret is sent; `undefined` for an app that has none. */
  readonly secret?: 'basic' | 'post'
}

/** What is noted of a sign-in: everything but the token. */
export interface SignInNote {
  readonly store: StoreKind
  readonly user?: KnownUser
  /** Full scope values, where the service told them. */
  readonly scopes?: readonly string[]
  /** `undefined` in older notes. */
  readonly kind?: TokenKind
  /** Where the token can be renewed or revoked; `undefined` where it cannot. */
  readonly server?: NotedServer
}

/** One profile as `config.json` holds it. There is never a secret in it. */
export interface Profile {
  readonly baseUrl?: string
  readonly authUrl?: string
  readonly clientId?: string
  /** Nothing is to be changed with it. */
  readonly readOnly?: boolean
  /** Where its tokens are kept, where the person chose another place than the keychain. */
  readonly tokenStore?: StoreKind
  /** By the service a token was given for (`local`, or an origin). */
  readonly tokens?: Readonly<Record<string, SignInNote>>
}

/** The file `config.json` in the configuration directory. */
export interface Config {
  /** The profile to use when none is named. */
  readonly profile?: string
  readonly profiles: Readonly<Record<string, Profile>>
}

const EMPTY_CONFIG: Config = {profiles: {}}

function configPath(directory: string): string {
  return join(directory, 'config.json')
}

function configFile(directory: string): StateFile<Config> {
  const file = configPath(directory)
  return stateFile({
    file,
    parse: text => parseConfig(text, file),
    format: config => `${JSON.stringify(config, null, 2)}\n`,
  })
}

/** Reads the configuration; none yet is an empty one. Throws `SetupError` for a file that is no configuration. */
export async function readConfig(directory: string | undefined): Promise<Config> {
  if (directory === undefined) return EMPTY_CONFIG
  try {
    return configFile(directory).readOrThrow() ?? EMPTY_CONFIG
  } catch (error) {
    if (error instanceof SetupError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return EMPTY_CONFIG
    throw new SetupError(
      'configuration',
      `Cannot read ${configPath(directory)}: ${reasonOf(error)}. Make it readable for you, or set DRV_CONFIG_DIR.`,
      {cause: error},
    )
  }
}

/** Parses a configuration; `file` is named in the `SetupError` for one that does not hold. */
function parseConfig(text: string, file: string): Config {
  const value = parseJson(text)
  const wrong = isObject(value) ? problem(value) : 'is not a JSON object'
  if (wrong === undefined) return {profiles: {}, ...(value as Partial<Config>)}
  throw new SetupError('configuration', `${file} ${wrong}. Mend it, or move it away to start anew.`)
}

/**
 * Does `work` while no other process changes the configuration or what it tells of: of two
 * commands that sign in or out at once, one comes after the other.
 */
export function lockConfig<T>(directory: string, work: () => Promise<T>): Promise<T> {
  return configFile(directory).locked(work)
}

/** Writes the configuration, whole or not at all. Change what was read under `lockConfig` only. */
export async function writeConfig(directory: string, config: Config): Promise<void> {
  try {
    await configFile(directory).write(config)
  } catch (error) {
    throw new SetupError(
      'configuration',
      `Cannot write ${configPath(directory)}: ${reasonOf(error)}. Mend that, or set DRV_CONFIG_DIR to another directory.`,
      {cause: error},
    )
  }
}

/** The configuration with a profile changed by `change`; one that is new starts empty. */
export function withProfile(
  config: Config,
  name: string,
  change: (profile: Profile) => Profile,
): Config {
  return {...config, profiles: {...config.profiles, [name]: change(profileOf(config, name) ?? {})}}
}

/** The configuration with where a profile keeps its tokens; `undefined` is the usual place. */
export function withTokenStore(config: Config, name: string, tokenStore?: StoreKind): Config {
  return withProfile(config, name, ({tokenStore: _, ...profile}) => ({
    ...profile,
    ...(tokenStore && {tokenStore}),
  }))
}

/** The configuration with a note of a sign-in. */
export function withToken(config: Config, name: string, binding: string, note: SignInNote): Config {
  return withProfile(config, name, profile => ({
    ...profile,
    tokens: {...profile.tokens, [binding]: note},
  }))
}

/**
 * The configuration with that note taken away; without any the profile does not only read any more,
 * for that was set by a sign-in.
 */
export function withoutToken(config: Config, name: string, binding: string): Config {
  return withProfile(config, name, ({readOnly, ...profile}) => {
    const {[binding]: _, ...tokens} = profile.tokens ?? {}
    const isKept = readOnly && Object.keys(tokens).length > 0
    return {...profile, ...(isKept && {readOnly}), tokens}
  })
}

/** The configuration without a profile, which is not the chosen one any more either. */
export function withoutProfile(config: Config, name: string): Config {
  const {[name]: _, ...profiles} = config.profiles
  return {...config, profile: config.profile === name ? undefined : config.profile, profiles}
}

/** What is noted of a profile's sign-in to a service. */
export function noteOf(config: Config, name: string, binding: string): SignInNote | undefined {
  const tokens = profileOf(config, name)?.tokens ?? {}
  return Object.hasOwn(tokens, binding) ? tokens[binding] : undefined
}

/** A profile by name: names come from outside, and `constructor` is none. */
export function profileOf(config: Config, name: string): Profile | undefined {
  return Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined
}

function problem(config: Record<string, unknown>): string | undefined {
  if (config.profile !== undefined && typeof config.profile !== 'string') {
    return 'has a "profile" that is no text'
  }
  if (config.profiles !== undefined && !isObject(config.profiles)) {
    return 'has "profiles" that are no object'
  }
  for (const [name, profile] of Object.entries(config.profiles ?? {})) {
    if (!isObject(profile)) return `has a profile ${JSON.stringify(name)} that is no object`
    for (const key of ['baseUrl', 'authUrl', 'clientId']) {
      const value = profile[key]
      if (value !== undefined && typeof value !== 'string') {
        return `has a profile ${JSON.stringify(name)} whose "${key}" is no text`
      }
    }
    if (profile.readOnly !== undefined && typeof profile.readOnly !== 'boolean') {
      return `has a profile ${JSON.stringify(name)} whose "readOnly" is neither true nor false`
    }
    if (!['keychain', 'file', undefined].includes(profile.tokenStore as string | undefined)) {
      return `has a profile ${JSON.stringify(name)} whose "tokenStore" is neither "keychain" nor "file"`
    }
    const tokens = profile.tokens ?? {}
    if (!isObject(tokens) || !Object.values(tokens).every(isNote)) {
      return `has a profile ${JSON.stringify(name)} whose "tokens" are not such as {"store": "keychain"}`
    }
  }
  return undefined
}

function isNote(value: unknown): value is SignInNote {
  if (!isObject(value)) return false
  const {store, user, scopes, kind, server} = value
  const isText = (text: unknown) => typeof text === 'string'
  return (
    (store === 'keychain' || store === 'file') &&
    (user === undefined ||
      (isObject(user) && isText(user.login) && (user.id === undefined || isText(user.id)))) &&
    (scopes === undefined || (Array.isArray(scopes) && scopes.every(isText))) &&
    (kind === undefined || kind === 'app' || kind === 'personal') &&
    (server === undefined ||
      (isObject(server) && isText(server.clientId) && Object.values(server).every(isText)))
  )
}

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
interface Place {
  readonly profile: string
  readonly binding: string
  readonly baseUrl?: string
}

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
