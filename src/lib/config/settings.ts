import {segmentProblem} from '#lib/api/url-paths.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {checkAddress} from './address.js'
import {
  type Config,
  LOCAL_BINDING,
  LOCAL_PROFILE,
  noteOf,
  profileOf,
  type SignInNote,
  type StoreKind,
} from './config.js'
import type {Environment} from './paths.js'

/** Where an address comes from; `default`: from the other one, or from nothing at all. */
export type AddressSource = 'flag' | 'environment' | 'profile' | 'default'

/** What says that nothing is to be changed: a flag, `DRV_READ_ONLY`, or the profile itself. */
export type ReadOnlySource = 'flag' | 'environment' | 'profile'

/** Where and as whom a command works, after flags, environment and profile are laid over each other. */
export interface Settings {
  readonly profile: string
  /** The service runs inside the command, over the default data directory: `baseUrl` comes when it is up. */
  readonly embedded: boolean
  /** Address of the file service, no slash at the end; `undefined` when embedded. */
  readonly baseUrl?: string
  /** Address of the authorization service, no slash at the end; `undefined` when embedded. */
  readonly authUrl?: string
  /** Where the addresses come from; `undefined` when embedded. */
  readonly sources?: {readonly baseUrl: AddressSource; readonly authUrl: AddressSource}
  readonly clientId: string
  /** A token from the environment: beats every store, is never stored. */
  readonly environmentToken?: string
  /** A line of the shell that prints a token; `undefined` where there is a token in the environment. Never in a file. */
  readonly tokenCommand?: string
  /** What a stored token is bound to beside the profile: `local` when embedded, else the origin of `baseUrl`. */
  readonly binding: string
  /** What is noted of this profile's sign-in to this service; `undefined` when nobody signed in. */
  readonly signIn?: SignInNote
  /** Where the person chose to keep the profile's tokens. */
  readonly tokenStore?: StoreKind
  /** What says that nothing is to be changed; `undefined` or none where things may be. */
  readonly readOnly?: readonly ReadOnlySource[]
}

/** What the command line says about where to work. */
export interface SettingsFlags {
  readonly profile?: string
  readonly baseUrl?: string
  readonly authUrl?: string
  readonly clientId?: string
  /** Which of the flag and its variable say that nothing is to be changed. */
  readonly readOnly?: readonly ReadOnlySource[]
}

/**
 * Lays flags over `DRV_*` variables over the profile. An empty variable counts as unset.
 * A file service and its authorization service come from the same layer, and where only one is
 * given the other is at its origin: a token is never asked for at one place for quite another.
 * Throws `SetupError('configuration')` for a value that cannot be used.
 */
export function resolveSettings(input: {
  readonly flags: SettingsFlags
  readonly env: Environment
  readonly config: Config
}): Settings {
  const {flags, env, config} = input
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
        ? `Profile "${profile}" has no address. Sign in again with DRV_BASE_URL set to the address of its service.`
        : `There is no profile "${profile}". Set it up with \`drv auth login --profile ${profile}\` and DRV_BASE_URL set to the address of its service.`,
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
    signIn: noteOf(config, profile, binding),
    tokenStore: stored?.tokenStore,
    readOnly: [...(flags.readOnly ?? []), ...(stored?.readOnly ? (['profile'] as const) : [])],
  }
}

/**
 * A token without the line break that files and commands leave behind it. `source` names where it
 * came from. Throws `SetupError('sign-in')` for text that no header could carry.
 */
export function checkToken(text: string, source: string): string {
  const token = text.trim()
  if (/^[\x21-\x7E]+$/.test(token)) return token
  throw new SetupError(
    'sign-in',
    token === ''
      ? `${source} is empty. Give it an access token.`
      : `${source} is no access token: it has blanks or unusual characters in it. Copy it again.`,
  )
}

/** A profile's name: letters, digits, dots, dashes and underscores, at most 64. */
export function checkName(name: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return name
  throw new SetupError(
    'configuration',
    `"${printable(name, 80)}" cannot be the name of a profile. Use up to 64 letters, digits, dots, dashes and underscores, with a letter or digit first.`,
  )
}

/** It stands in addresses, to which the app's secret and the token are sent. */
function checkClientId(given: Named | undefined): string {
  const problem = given && segmentProblem(given.text)
  if (!problem) return given?.text ?? BUILTIN_CLIENT_ID
  throw new SetupError(
    'configuration',
    `${given.name} ${printable(problem, 200)}. Give it the client ID of an app.`,
  )
}

interface Named {
  readonly text: string
  readonly source: AddressSource
  /** What a sentence calls it. */
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

/** An issuer's address, from that of its metadata where somebody gave that (RFC 8414, section 3; OpenID Discovery, section 4). */
function withoutWellKnown(text: string): string {
  return text
    .replace(/\/\.well-known\/openid-configuration\/?$/, '')
    .replace(/\/\.well-known\/oauth-authorization-server(?=\/|$)/, '')
}

/** Refused by a setting of the person's own. `message` is a whole sentence. */
export class ReadOnlyError extends Error {
  constructor(
    message: string,
    /** How to lift it. */
    readonly hint: string,
  ) {
    super(message)
    this.name = 'ReadOnlyError'
  }
}

/** What refuses `what`, such as `drv push`; `undefined` where things may be changed. */
export function readOnlyError(
  {readOnly = [], profile}: Pick<Settings, 'readOnly' | 'profile'>,
  what: string,
): ReadOnlyError | undefined {
  if (readOnly.length === 0) return undefined
  const lifts: Readonly<Record<ReadOnlySource, string>> = {
    flag: 'leave out --read-only',
    environment: 'unset DRV_READ_ONLY',
    profile: `sign out of profile "${profile}" with \`drv auth logout\` and in again without --read-only`,
  }
  const ways = readOnly.map(source => lifts[source]).join(', and ')
  return new ReadOnlyError(
    `${what} changes something, and here drv only reads: nothing was sent.`,
    `To lift that, ${ways}.`,
  )
}
