import {join} from 'node:path'
import {shortScope} from '#lib/api/description/scopes.js'
import {type Checkup, checkUp} from '#lib/auth/check.js'
import type {FoundToken, Session} from '#lib/auth/session.js'
import {keychainName} from '#lib/auth/store/keychain.js'
import type {Context} from '#lib/cli/context/context.js'
import {startForCommand} from '#lib/cli/context/local-service.js'
import {openSession} from '#lib/cli/context/open-session.js'
import {certificatesText, routeText} from '#lib/cli/explain/network.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {readConfig} from '#lib/config/config.js'
import {type ListedProfile} from '#lib/config/list-profiles.js'
import {type ReadOnlySource, resolveSettings, type Settings} from '#lib/config/settings.js'
import {nearest, suggestionSentence} from '#lib/platform/nearest.js'
import {policiesText, policyRecords} from './policies.js'

/** Checks profiles and builds their records. The protocol and the stores are in `../../auth`. */

/** Throws `UsageError` for an unknown profile. */
export function checkProfile(name: string, profiles: readonly ListedProfile[]): void {
  const names = profiles.map(({profile}) => profile)
  if (names.includes(name)) return
  const meant = nearest(name, names)
  throw new UsageError(
    `Profile "${name}" does not exist.`,
    meant ? suggestionSentence(meant) : `Profiles: ${names.join(', ')}.`,
  )
}

/** A profile and the state of its sign-in; without addresses if its settings are invalid. */
interface CheckedProfile {
  readonly settings: Partial<Settings> & Pick<Settings, 'profile'>
  readonly checkup: Checkup
}

/** Checks the profile in use and, without --profile, all others, which ignore environment variables. */
export async function checkProfiles(
  context: Context,
): Promise<readonly [CheckedProfile, ...CheckedProfile[]]> {
  const settings = await context.settings()
  const inUse = {settings, checkup: await check(settings, await context.session(), context)}
  if (context.options.profile !== undefined) return [inUse]
  const config = await readConfig(context.directories.config)
  const names = Object.keys(config.profiles).filter(name => name !== settings.profile)
  const addresses = async () => {
    const url = await startForCommand(context)
    return {baseUrl: url, authUrl: url}
  }
  const others = names.sort().map(async (profile): Promise<CheckedProfile> => {
    try {
      const settings = resolveSettings({flags: {profile}, env: {}, config})
      const session = openSession(context, settings, {addresses})
      return {settings, checkup: await check(settings, session, context)}
    } catch (problem) {
      return {settings: {profile}, checkup: {problem: problem as Error}}
    }
  })
  return [inUse, ...(await Promise.all(others))]
}

function check(settings: Settings, session: Session, context: Context): Promise<Checkup> {
  const {directories, userAgent, signal, now} = context
  const addressOf = async () => {
    if (settings === (await context.settings())) return (await context.addresses()).baseUrl
    return settings.baseUrl ?? startForCommand(context)
  }
  const sending = async () => {
    const [baseUrl, send] = [await addressOf(), await context.send()]
    return {baseUrl, timeout: 10_000, userAgent, signal, now, send}
  }
  return checkUp(settings, session, sending, {state: directories.state, now})
}

const COLUMNS = [
  'profile',
  'inUse',
  'service',
  'serviceSource',
  'authService',
  'authServiceSource',
  'issuer',
  'clientId',
  'readOnly',
  'readOnlySource',
  'signedIn',
  'source',
  'backend',
  'works',
  'expiresAt',
  'renewable',
  'user.login',
  'user.id',
  'user.name',
  'user.email',
  'scopes',
  'problem',
  'policies',
]

/** The columns of `profileRecord`; `isVerbose` adds proxies and certificates. */
export function profileColumns(isVerbose: boolean): readonly string[] {
  return isVerbose ? [...COLUMNS, 'serviceRoute', 'authServiceRoute', 'certificates'] : COLUMNS
}

/** The expiry of a token: ISO 8601 in UTC, to the second. */
export function expiryText(found: Pick<FoundToken, 'expiresAt'> | undefined): string | undefined {
  if (found?.expiresAt === undefined) return undefined
  return new Date(found.expiresAt).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** Throws `CommandError` at a standard server, which has no such endpoint or page; `instead` is the hint. */
export function refuseStandard({signIn}: Settings, what: string, instead: string): void {
  const issuer = signIn?.server?.issuer
  if (issuer === undefined) return
  throw new CommandError(
    'failed',
    `${issuer} is a standard authorization server and has no ${what}.`,
    instead,
  )
}

const READ_ONLY_SOURCES: Readonly<Record<ReadOnlySource, string>> = {
  flag: '--read-only',
  environment: 'DRV_READ_ONLY',
  profile: 'profile',
  file: 'DRV_POLICY',
}

/** A profile as a record of `drv auth status`. */
export function profileRecord(
  {settings, checkup: {found, user, isRenewable, problem}}: CheckedProfile,
  inUse: boolean,
  {environment, directories: {config}, options}: Context,
  isStructured: boolean,
): Readonly<Record<string, unknown>> {
  const {
    profile,
    clientId,
    signIn,
    environmentToken,
    tokenCommand,
    readOnly = [],
    policies,
  } = settings
  const {embedded, baseUrl, authUrl, sources} = settings
  const {scopes, clientId: _, ...person} = user ?? {}
  const variable = environmentToken ? 'DRV_TOKEN' : tokenCommand && 'DRV_TOKEN_COMMAND'
  const source = found?.source ?? variable ?? signIn?.store
  // The record describes the stored token only.
  const noted = source === signIn?.store ? signIn : undefined
  const files = source === 'file' && config ? `plain file in ${join(config, 'tokens')}` : undefined
  // The local service has an address only while the command runs.
  const unset = embedded ? 'default' : undefined
  const route = (address: string | undefined) =>
    embedded ? 'inside drv' : address && routeText(address, environment)
  return {
    profile,
    inUse,
    service: embedded ? 'local' : baseUrl,
    serviceSource: sources?.baseUrl ?? unset,
    authService: embedded ? 'local' : authUrl,
    authServiceSource: sources?.authUrl ?? unset,
    issuer: noted?.server?.issuer,
    clientId,
    readOnly: readOnly.length > 0,
    readOnlySource: readOnly.map(name => READ_ONLY_SOURCES[name]).join(', ') || undefined,
    policies: isStructured ? policyRecords(policies, true) : policiesText(policies),
    signedIn: Boolean(found),
    source,
    backend: source === 'keychain' ? keychainName() : files,
    works: user !== undefined,
    expiresAt: expiryText(found),
    renewable: found?.expiresAt === undefined ? undefined : isRenewable,
    user: user ? person : noted?.user,
    scopes: (scopes ?? noted?.scopes)?.map(shortScope),
    problem: problem?.message,
    ...(options.verbose && {
      serviceRoute: route(baseUrl),
      authServiceRoute: route(authUrl),
      certificates: certificatesText(environment),
    }),
  }
}
