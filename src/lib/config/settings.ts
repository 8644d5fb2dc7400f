import {segmentProblem} from '#lib/api/url-paths.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {checkAddress} from './address.js'
import {
  type Config,
  type HistorySettings,
  LOCAL_BINDING,
  LOCAL_PROFILE,
  policiesOf,
  profileOf,
  signInOf,
  type SignInRecord,
  type StoreKind,
} from './config.js'
import type {Environment} from './paths.js'
import type {Policies} from './policy.js'

/** The source of an address; `default`: derived from the other address, or unset. */
export type AddressSource = 'flag' | 'environment' | 'profile' | 'default'

/** The source of read-only mode: a flag, `DRV_READ_ONLY`, the profile, or the file that DRV_POLICY names. */
export type ReadOnlySource = 'flag' | 'environment' | 'profile' | 'file'

/** The profile and services of a command, merged from flags, environment and profile. */
export interface Settings {
  readonly profile: string
  /** Whether the command runs the local service itself, with the default data directory; the addresses are known once it runs. */
  readonly embedded: boolean
  /** Address of the file service without a final slash; `undefined` if embedded. */
  readonly baseUrl?: string
  /** Address of the authorization service without a final slash; `undefined` if embedded. */
  readonly authUrl?: string
  /** The sources of the addresses; `undefined` if embedded. */
  readonly sources?: {readonly baseUrl: AddressSource; readonly authUrl: AddressSource}
  readonly clientId: string
  /** The token in DRV_TOKEN, which takes precedence over every store and is never stored. */
  readonly environmentToken?: string
  /** The shell command in DRV_TOKEN_COMMAND; `undefined` if DRV_TOKEN is set. Never read from a file. */
  readonly tokenCommand?: string
  /** The service of stored tokens: `local` if embedded, else the origin of `baseUrl`. */
  readonly binding: string
  /** The record of this profile's sign-in to this service, if any. */
  readonly signIn?: SignInRecord
  /** The token store that the user chose for the profile. */
  readonly tokenStore?: StoreKind
  /** The sources of read-only mode; empty or `undefined` if changes are allowed. */
  readonly readOnly?: readonly ReadOnlySource[]
  /** The policies of the profile and of DRV_POLICY; `undefined` or empty without any. */
  readonly policies?: readonly Policies[]
  /** How changes are recorded. */
  readonly history?: HistorySettings
}

/** The global flags that select profile and services. */
export interface SettingsFlags {
  readonly profile?: string
  readonly baseUrl?: string
  readonly authUrl?: string
  readonly clientId?: string
  /** The sources of read-only mode among the flag and its variable. */
  readonly readOnly?: readonly ReadOnlySource[]
}

/**
 * Merges the settings: flags take precedence over `DRV_*` variables, which take precedence over the profile. An empty
 * variable counts as unset. File service and authorization service come from the same layer; if only one is set, the
 * other is at its origin, so that a token is never requested at one site for another. Throws
 * `SetupError('configuration')` for an invalid value.
 */
export function resolveSettings(input: {
  readonly flags: SettingsFlags
  readonly env: Environment
  readonly config: Config
  /** The policies in the file that DRV_POLICY names. */
  readonly policyFile?: Policies
}): Settings {
  const {flags, env, config, policyFile} = input
  const profile = checkName(flags.profile || env.DRV_PROFILE || config.profile || LOCAL_PROFILE)
  const stored = profileOf(config, profile)
  const addresses =
    pair(
      named(flags.baseUrl, 'flag', '--base-url') ??
        named(env.DRV_BASE_URL, 'environment', 'DRV_BASE_URL'),
      named(flags.authUrl, 'flag', '--auth-url') ??
        named(env.DRV_AUTH_URL, 'environment', 'DRV_AUTH_URL'),
    ) ??
    pair(
      named(stored?.baseUrl, 'profile', `baseUrl of profile "${profile}"`),
      named(stored?.authUrl, 'profile', `authUrl of profile "${profile}"`),
    )
  if (!addresses && profile !== LOCAL_PROFILE) {
    throw new SetupError(
      'configuration',
      stored
        ? `Profile "${profile}" has no base URL. Set DRV_BASE_URL to the URL of its service, then sign in again.`
        : `Profile "${profile}" does not exist. To create it, set DRV_BASE_URL to the URL of its service and run \`drv auth login --profile ${profile}\`.`,
    )
  }
  const binding = addresses ? new URL(addresses.baseUrl).origin : LOCAL_BINDING
  return {
    profile,
    embedded: !addresses,
    baseUrl: addresses?.baseUrl,
    authUrl: addresses?.authUrl,
    sources: addresses?.sources,
    clientId: checkClientId(
      named(flags.clientId, 'flag', '--client-id') ??
        named(env.DRV_CLIENT_ID, 'environment', 'DRV_CLIENT_ID') ??
        named(stored?.clientId, 'profile', `clientId of profile "${profile}"`),
    ),
    environmentToken: env.DRV_TOKEN ? checkToken(env.DRV_TOKEN, 'DRV_TOKEN') : undefined,
    tokenCommand: (!env.DRV_TOKEN && env.DRV_TOKEN_COMMAND) || undefined,
    binding,
    signIn: signInOf(config, profile, binding),
    tokenStore: stored?.tokenStore,
    readOnly: [
      ...(flags.readOnly ?? []),
      ...(stored?.readOnly ? (['profile'] as const) : []),
      ...(policyFile?.values['read-only'] ? (['file'] as const) : []),
    ],
    policies: [
      {source: {kind: 'profile', name: profile} as const, values: policiesOf(config, profile)},
      ...(policyFile ? [policyFile] : []),
    ].filter(({values}) => Object.keys(values).length > 0),
    history: config.history,
  }
}

/**
 * Returns a token without the final line break that files and commands add. `source` names its origin in the error.
 * Throws `SetupError('sign-in')` for text that is not valid in a header.
 */
export function checkToken(text: string, source: string, remedy = 'Copy the token again.'): string {
  const token = text.trim()
  if (/^[\x21-\x7E]+$/.test(token)) return token
  throw new SetupError(
    'sign-in',
    token === ''
      ? emptyTokenText(source)
      : `${source} is not an access token: it contains spaces or invalid characters. ${remedy}`,
  )
}

function emptyTokenText(source: string): string {
  return source === 'DRV_TOKEN'
    ? 'DRV_TOKEN is empty. Set it to an access token, or unset it.'
    : `${source} is empty, but must be an access token.`
}

/** Returns a valid profile name: at most 64 letters, digits, dots, hyphens and underscores. Throws `SetupError('configuration')`. */
export function checkName(name: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return name
  throw new SetupError(
    'configuration',
    `Invalid profile name "${printable(name, 80)}". Use up to 64 letters, digits, dots, hyphens and underscores; start with a letter or digit.`,
  )
}

/** Checks a client ID, which is part of addresses that receive the client secret and the token. */
function checkClientId(given: Named | undefined): string {
  const problem = given && segmentProblem(given.text)
  if (!problem) return given?.text ?? BUILTIN_CLIENT_ID
  throw new SetupError(
    'configuration',
    `${given.name} ${printable(problem, 200)}. Set it to the client ID of an app.`,
  )
}

interface Named {
  readonly text: string
  readonly source: AddressSource
  /** Its name in messages. */
  readonly name: string
}

function named(text: string | undefined, source: AddressSource, name: string): Named | undefined {
  return text ? {text, source, name} : undefined
}

type Pair = Required<Pick<Settings, 'baseUrl' | 'authUrl' | 'sources'>>

function pair(base?: Named, auth?: Named): Pair | undefined {
  const baseUrl = base && checkAddress(base.text, base.name)
  const authUrl = auth && checkAddress(withoutWellKnown(auth.text), auth.name)
  const given = baseUrl ?? authUrl
  if (given === undefined) return undefined
  const {origin} = new URL(given)
  return {
    baseUrl: baseUrl ?? origin,
    authUrl: authUrl ?? origin,
    sources: {baseUrl: base?.source ?? 'default', authUrl: auth?.source ?? 'default'},
  }
}

/** The address of an issuer; accepts the address of its metadata too (RFC 8414, section 3; OpenID Discovery, section 4). */
function withoutWellKnown(text: string): string {
  return text
    .replace(/\/\.well-known\/openid-configuration\/?$/, '')
    .replace(/\/\.well-known\/oauth-authorization-server(?=\/|$)/, '')
}

/** A change refused in read-only mode. `message` is a whole sentence. */
export class ReadOnlyError extends Error {
  constructor(
    message: string,
    /** How to allow changes. */
    readonly hint: string,
  ) {
    super(message)
    this.name = 'ReadOnlyError'
  }
}

/** The error for the command `what` in read-only mode; `undefined` if changes are allowed. */
export function readOnlyError(
  {readOnly = [], profile}: Pick<Settings, 'readOnly' | 'profile'>,
  what: string,
): ReadOnlyError | undefined {
  if (readOnly.length === 0) return undefined
  const lifts: Readonly<Record<ReadOnlySource, string>> = {
    flag: 'omit --read-only',
    environment: 'unset DRV_READ_ONLY',
    profile: `run \`drv auth policy unset read-only --profile ${profile}\``,
    file: 'remove read-only from the file that DRV_POLICY names',
  }
  const ways = readOnly.map(source => lifts[source]).join(', and ')
  return new ReadOnlyError(
    `${what} is refused in read-only mode. Nothing was sent.`,
    `To allow changes, ${ways}.`,
  )
}
