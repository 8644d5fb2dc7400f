import {segmentProblem} from '#lib/api/steps.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import {checkAddress} from './address.js'
import {type Config, noteOf, profileOf} from './config.js'
import type {Environment} from './paths.js'
import type {AddressSource, ReadOnlySource, Settings} from './settings.js'

/** The built-in profile: the service inside the command. Used until another is made the default. */
export const LOCAL_PROFILE = 'local'
/** What the tokens of the embedded service are bound to. */
export const LOCAL_BINDING = 'local'

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
    binding,
    signIn: noteOf(config, profile, binding),
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
  const authUrl = auth && checkAddress(auth.text, auth.name)
  const given = baseUrl ?? authUrl
  if (given === undefined) return undefined
  const {origin} = new URL(given)
  return {
    baseUrl: baseUrl ?? origin,
    authUrl: authUrl ?? origin,
    sources: {baseUrl: base?.source ?? 'default', authUrl: auth?.source ?? 'default'},
  }
}
