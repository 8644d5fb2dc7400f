import {statSync} from 'node:fs'
import {join} from 'node:path'
import {shortScope} from '#lib/api/description/scopes.js'
import {operations} from '#lib/api/operations.js'
import type {Checkup} from '#lib/auth/check.js'
import {keychainName} from '#lib/auth/store/keychain.js'
import {type OpenStore, SERVICE} from '#lib/auth/store/store.js'
import type {Context} from '#lib/cli/context/context.js'
import {readConfig} from '#lib/config/config.js'
import {
  type AddressSource,
  checkToken,
  resolveSettings,
  type Settings,
} from '#lib/config/settings.js'
import {printable} from '#lib/platform/sanitize.js'
import {type Check, failed, ok, skipped, warning} from './check.js'

/** Checks configuration and addresses, without the token of the environment, whose faults are its own. */
export async function settingsChecks({
  options,
  environment,
  directories: {config: directory},
}: Pick<Context, 'options' | 'environment' | 'directories'>): Promise<{
  readonly checks: readonly Check[]
  readonly settings?: Settings
}> {
  const configured = await readConfig(directory).catch((error: unknown) => ({error}))
  if ('error' in configured) return {checks: [failed('configuration', configured.error)]}
  const names = Object.keys(configured.profiles)
  const profiles = names.length === 0 ? 'no profiles yet' : `profiles: ${names.join(', ')}`
  const configuration =
    (directory !== undefined && openToOthers(directory)) ||
    ok('configuration', `${profiles} (in ${directory ?? 'no directory'})`)
  try {
    const env = {...environment, DRV_TOKEN: undefined}
    const settings = resolveSettings({flags: options, env, config: configured})
    return {settings, checks: [configuration, ...addressChecks(settings)]}
  } catch (error) {
    return {checks: [configuration, failed('addresses', error)]}
  }
}

/** Whoever writes there decides where a token is sent. Windows has no such bits. */
function openToOthers(directory: string): Check | undefined {
  const path = [directory, join(directory, 'config.json')].find(path => {
    const mode = statSync(path, {throwIfNoEntry: false})?.mode ?? 0
    return process.platform !== 'win32' && (mode & 0o022) !== 0
  })
  return path === undefined
    ? undefined
    : warning(
        'configuration',
        `others can write ${path}, and so have your token sent elsewhere`,
        `Run \`chmod go-w ${path}\`.`,
      )
}

/** Where the addresses come from. Pure. */
function addressChecks({profile, baseUrl, authUrl, sources}: Settings): readonly Check[] {
  if (baseUrl === undefined) {
    return [ok('addresses', `the service inside drv (profile "${profile}")`)]
  }
  const from = (source: AddressSource | undefined, variable: string) => {
    if (source === 'environment') return variable
    return source === 'profile' ? `profile "${profile}"` : 'the same host'
  }
  return [
    ok('addresses', `files at ${baseUrl} (${from(sources?.baseUrl, 'DRV_BASE_URL')})`),
    ok('addresses', `sign-in at ${authUrl} (${from(sources?.authUrl, 'DRV_AUTH_URL')})`),
  ]
}

/** The name under which nothing is ever kept. */
const TRIAL = 'drv auth doctor'

/** Looks whether the keychain takes a secret and gives it back, where it is the keychain that counts. */
export async function keychainCheck(
  {signIn, tokenStore, tokenCommand}: Pick<Settings, 'signIn' | 'tokenStore' | 'tokenCommand'>,
  environmentToken: string | undefined,
  openStore: OpenStore,
): Promise<Check> {
  const name = 'keychain'
  if (environmentToken) return skipped(name, 'DRV_TOKEN is set, so that nobody asks it')
  if (tokenCommand !== undefined) {
    return skipped(name, 'DRV_TOKEN_COMMAND is set, so that nobody asks it')
  }
  if (signIn?.store === 'file') return skipped(name, 'the token is in a file')
  if (!signIn && tokenStore === 'file')
    return skipped(name, 'the profile keeps its tokens in files')
  try {
    await openStore('keychain').tryOut(SERVICE, TRIAL)
    return ok(name, `${keychainName()} takes a secret and gives it back`)
  } catch (error) {
    return failed(name, error)
  }
}

/** What is wrong with the text of a token from the environment, before anybody is asked about it. */
export function tokenTextCheck(environmentToken: string | undefined): Check | undefined {
  if (!environmentToken) return undefined
  try {
    checkToken(environmentToken, 'DRV_TOKEN')
    return undefined
  } catch (error) {
    return failed('token', error)
  }
}

/** What the service said to the token, and what its scopes are enough for. Pure. */
export function tokenChecks({found, user, problem}: Checkup, embedded = false): readonly Check[] {
  const scopes = skipped('scopes', 'a token has to work first')
  if (problem !== undefined) {
    const environmentToken = found?.source === 'DRV_TOKEN'
    const tokenCommand = found?.source === 'DRV_TOKEN_COMMAND'
    const circumstances = {environmentToken, tokenCommand, embedded}
    return [failed('token', problem, undefined, circumstances), scopes]
  }
  const {source = 'store'} = found ?? {}
  const from = source.startsWith('DRV_') ? source : `the ${source}`
  return [
    ok('token', `works, is that of ${user?.login ?? 'somebody'} (from ${from})`),
    scopesCheck(user?.scopes),
  ]
}

/** How much of the API scopes are enough for. Pure. */
export function scopesCheck(scopes: readonly string[] | undefined): Check {
  if (scopes === undefined)
    return skipped('scopes', 'the service does not tell those of this token')
  const allowed = operations.filter(operation =>
    operation.scopes.some(scope => scopes.includes(scope)),
  )
  const names = printable(scopes.map(shortScope).join(', ') || 'none', 400)
  const found = `${names}: enough for ${allowed.length} of ${operations.length} operations`
  if (allowed.length > 0) return ok('scopes', found)
  return warning(
    'scopes',
    found,
    'Sign in again with `drv auth login --scope drive`, or make a token with that scope.',
  )
}
