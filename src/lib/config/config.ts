import {join} from 'node:path'
import {SetupError} from '#lib/platform/setup-error.js'
import {type StateFile, stateFile} from '#lib/platform/state-file.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import {isObject, parseJson} from '#lib/platform/values.js'
import {parsePolicies, type PolicyValues} from './policy.js'

/**
 * Reads and writes `config.json`: profiles and the records of sign-ins. Tokens belong to ../auth; nothing here sends requests.
 */

/** The built-in profile, which uses the local service. It is the default until another is chosen. */
export const LOCAL_PROFILE = 'local'
/** The binding of tokens for the local service. */
export const LOCAL_BINDING = 'local'

/** The store of a token. */
export type StoreKind = 'keychain' | 'file'

/** The owner of a token. */
export interface KnownUser {
  /** The permanent ID of the account, if the service gave one; a login can change. */
  readonly id?: string
  readonly login: string
}

/** `app`: obtained by an app; `personal`: a personal access token. */
export type TokenKind = 'app' | 'personal'

/** The server that issued a token, as found at sign-in, to renew and revoke it. Contains no secrets. */
export interface ProfileServer {
  readonly clientId: string
  /** Address of an authorization service that follows the specification; `undefined` for the local service, whose port varies. */
  readonly authUrl?: string
  /** Issuer of a standard authorization server; only these have `tokenUrl` and `revocationUrl`. */
  readonly issuer?: string
  readonly tokenUrl?: string
  readonly revocationUrl?: string
  /** How the client secret is sent; `undefined` for an app without a secret. */
  readonly secret?: 'basic' | 'post'
}

/** The record of a sign-in: everything but the token. */
export interface SignInRecord {
  readonly store: StoreKind
  readonly user?: KnownUser
  /** Full scope values, if the service reported them. */
  readonly scopes?: readonly string[]
  /** `undefined` in records of older versions. */
  readonly kind?: TokenKind
  /** The server that can renew or revoke the token, if any. */
  readonly server?: ProfileServer
}

/** One profile in `config.json`. Never contains secrets. */
export interface Profile {
  readonly baseUrl?: string
  readonly authUrl?: string
  readonly clientId?: string
  /** Whether changes are refused. */
  readonly readOnly?: boolean
  /** The other policies. Signing out keeps them. */
  readonly policies?: PolicyValues
  /** The store that the user chose for its tokens; `undefined` for the keychain. */
  readonly tokenStore?: StoreKind
  /** By binding: `local`, or the origin of the service. */
  readonly tokens?: Readonly<Record<string, SignInRecord>>
}

/** The file `config.json` in the configuration directory. */
export interface Config {
  /** The default profile. */
  readonly profile?: string
  readonly profiles: Readonly<Record<string, Profile>>
  readonly history?: HistorySettings
}

/** How changes are recorded for undo. */
export interface HistorySettings {
  /** How long the record is kept, in days (default: 90). */
  readonly days?: number
  /** Whether to read the state before each change, with a request of its own if necessary. */
  readonly full?: boolean
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

/** Reads the configuration, which is empty if there is no file. Throws `SetupError` for an invalid file. */
export async function readConfig(directory: string | undefined): Promise<Config> {
  if (directory === undefined) return EMPTY_CONFIG
  try {
    return configFile(directory).readOrThrow() ?? EMPTY_CONFIG
  } catch (error) {
    if (error instanceof SetupError) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return EMPTY_CONFIG
    throw new SetupError(
      'configuration',
      `Cannot read ${configPath(directory)}: ${reasonOf(error)}. Check the path and its permissions, or set DRV_CONFIG_DIR to another directory.`,
      {cause: error},
    )
  }
}

/** Parses a configuration. Throws `SetupError`, which names `file`, if it is invalid. */
function parseConfig(text: string, file: string): Config {
  const value = parseJson(text)
  const wrong = isObject(value) ? problem(value) : 'must be a JSON object'
  if (wrong === undefined) return {profiles: {}, ...(value as Partial<Config>)}
  throw new SetupError(
    'configuration',
    `${file}: ${wrong}. Correct the file, or move it away to start over.`,
  )
}

/**
 * Runs `work` while no other process changes the configuration or the tokens that it records, so that concurrent
 * sign-ins run one after the other.
 */
export function lockConfig<T>(directory: string, work: () => Promise<T>): Promise<T> {
  return configFile(directory).locked(work)
}

/** Writes the configuration atomically. To change it, read and write within `lockConfig`. */
export async function writeConfig(directory: string, config: Config): Promise<void> {
  try {
    await configFile(directory).write(config)
  } catch (error) {
    throw new SetupError(
      'configuration',
      `Cannot write ${configPath(directory)}: ${reasonOf(error)}. Check the path and its permissions, or set DRV_CONFIG_DIR to another directory.`,
      {cause: error},
    )
  }
}

/** The configuration with one profile changed; a new profile starts empty. */
export function withProfile(
  config: Config,
  name: string,
  change: (profile: Profile) => Profile,
): Config {
  return {...config, profiles: {...config.profiles, [name]: change(profileOf(config, name) ?? {})}}
}

/** The configuration with the token store of a profile; `undefined` means the keychain. */
export function withTokenStore(config: Config, name: string, tokenStore?: StoreKind): Config {
  return withProfile(config, name, ({tokenStore: _, ...profile}) => ({
    ...profile,
    ...(tokenStore && {tokenStore}),
  }))
}

/** The configuration with the policies of a profile, which include `read-only`. */
export function withPolicies(config: Config, name: string, values: PolicyValues): Config {
  const {'read-only': isReadOnly, ...policies} = values
  return withProfile(config, name, ({readOnly: _, policies: __, ...profile}) => ({
    ...profile,
    ...(isReadOnly && {readOnly: true}),
    ...(Object.keys(policies).length > 0 && {policies}),
  }))
}

/** The policies of a profile, which include `read-only`. */
export function policiesOf(config: Config, name: string): PolicyValues {
  const {readOnly, policies = {}} = profileOf(config, name) ?? {}
  const parsed = parsePolicies(policies)
  return {...(readOnly && {'read-only': true}), ...('values' in parsed && parsed.values)}
}

/** The configuration with the record of a sign-in. */
export function withToken(
  config: Config,
  name: string,
  binding: string,
  note: SignInRecord,
): Config {
  return withProfile(config, name, profile => ({
    ...profile,
    tokens: {...profile.tokens, [binding]: note},
  }))
}

/**
 * The configuration without the record of a sign-in. A profile without sign-ins loses `readOnly`, which belongs to a
 * sign-in.
 */
export function withoutToken(config: Config, name: string, binding: string): Config {
  return withProfile(config, name, ({readOnly, ...profile}) => {
    const {[binding]: _, ...tokens} = profile.tokens ?? {}
    const isKept = readOnly && Object.keys(tokens).length > 0
    return {...profile, ...(isKept && {readOnly}), tokens}
  })
}

/** The configuration without a profile, also as the default. */
export function withoutProfile(config: Config, name: string): Config {
  const {[name]: _, ...profiles} = config.profiles
  return {...config, profile: config.profile === name ? undefined : config.profile, profiles}
}

/** The record of a profile's sign-in to a service. */
export function signInOf(config: Config, name: string, binding: string): SignInRecord | undefined {
  const tokens = profileOf(config, name)?.tokens ?? {}
  return Object.hasOwn(tokens, binding) ? tokens[binding] : undefined
}

/** A profile by name. Names come from the user, so inherited properties such as `constructor` do not count. */
export function profileOf(config: Config, name: string): Profile | undefined {
  return Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined
}

function problem(config: Record<string, unknown>): string | undefined {
  if (config.profile !== undefined && typeof config.profile !== 'string') {
    return '"profile" must be a string'
  }
  const wrongHistory = historyProblem(config.history)
  if (wrongHistory !== undefined) return wrongHistory
  if (config.profiles !== undefined && !isObject(config.profiles)) {
    return '"profiles" must be an object'
  }
  for (const [name, profile] of Object.entries(config.profiles ?? {})) {
    if (!isObject(profile)) return `profile ${JSON.stringify(name)} must be an object`
    for (const key of ['baseUrl', 'authUrl', 'clientId']) {
      const value = profile[key]
      if (value !== undefined && typeof value !== 'string') {
        return `"${key}" of profile ${JSON.stringify(name)} must be a string`
      }
    }
    if (profile.readOnly !== undefined && typeof profile.readOnly !== 'boolean') {
      return `"readOnly" of profile ${JSON.stringify(name)} must be true or false`
    }
    if (!isObject(profile.policies ?? {})) {
      return `"policies" of profile ${JSON.stringify(name)} must be an object`
    }
    const policies = parsePolicies(profile.policies ?? {})
    if ('problem' in policies) {
      return `profile ${JSON.stringify(name)} ${policies.problem}`
    }
    if (!['keychain', 'file', undefined].includes(profile.tokenStore as string | undefined)) {
      return `"tokenStore" of profile ${JSON.stringify(name)} must be "keychain" or "file"`
    }
    const tokens = profile.tokens ?? {}
    if (!isObject(tokens) || !Object.values(tokens).every(isNote)) {
      return `"tokens" of profile ${JSON.stringify(name)} must have values such as {"store": "keychain"}`
    }
  }
  return undefined
}

function historyProblem(history: unknown): string | undefined {
  if (history === undefined) return undefined
  if (!isObject(history)) return '"history" must be an object'
  const {days, full} = history
  if (days !== undefined && !(Number.isSafeInteger(days) && Number(days) > 0)) {
    return '"history.days" must be a positive integer'
  }
  if (full !== undefined && typeof full !== 'boolean') {
    return '"history.full" must be true or false'
  }
  return undefined
}

function isNote(value: unknown): value is SignInRecord {
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

/** The default profile. */
export function chosenProfile(config: Config): string {
  return config.profile || LOCAL_PROFILE
}
