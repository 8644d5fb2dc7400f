import {statSync} from 'node:fs'
import {join} from 'node:path'
import {shortScope} from '#lib/api/description/scopes.js'
import {operations} from '#lib/api/operations.js'
import type {Checkup} from '#lib/auth/check.js'
import {keychainName} from '#lib/auth/store/keychain.js'
import {type OpenStore, SERVICE} from '#lib/auth/store/store.js'
import {expiryText} from '#lib/cli/account/profiles.js'
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

/** Checks configuration and addresses, without DRV_TOKEN, which has its own check. */
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

/** A warning if other users can change the addresses to which tokens are sent. Windows has no such permissions. */
function openToOthers(directory: string): Check | undefined {
  const path = [directory, join(directory, 'config.json')].find(path => {
    const mode = statSync(path, {throwIfNoEntry: false})?.mode ?? 0
    return process.platform !== 'win32' && (mode & 0o022) !== 0
  })
  return path === undefined
    ? undefined
    : warning(
        'configuration',
        `other users can change ${path} and redirect your token`,
        `Run \`chmod go-w ${path}\`.`,
      )
}

/** The addresses with their sources. Pure. */
function addressChecks({profile, baseUrl, authUrl, sources}: Settings): readonly Check[] {
  if (baseUrl === undefined) {
    return [ok('addresses', `the local service (profile "${profile}")`)]
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

/** The account of the trial entry in the keychain. */
const TRIAL = 'drv auth doctor'

/** Checks that the keychain stores and returns a secret; skipped if the token comes from elsewhere. */
export async function keychainCheck(
  {signIn, tokenStore, tokenCommand}: Pick<Settings, 'signIn' | 'tokenStore' | 'tokenCommand'>,
  environmentToken: string | undefined,
  openStore: OpenStore,
): Promise<Check> {
  const name = 'keychain'
  if (environmentToken) return skipped(name, 'not used: DRV_TOKEN is set')
  if (tokenCommand !== undefined) {
    return skipped(name, 'not used: DRV_TOKEN_COMMAND is set')
  }
  if (signIn?.store === 'file') return skipped(name, 'not used: the token is stored in a file')
  if (!signIn && tokenStore === 'file')
    return skipped(name, 'not used: the profile stores its tokens in files')
  try {
    await openStore('keychain').tryOut(SERVICE, TRIAL)
    return ok(name, `${keychainName()} works`)
  } catch (error) {
    return failed(name, error)
  }
}

/** Checks the syntax of DRV_TOKEN; `undefined` if it is valid or unset. */
export function tokenTextCheck(environmentToken: string | undefined): Check | undefined {
  if (!environmentToken) return undefined
  try {
    checkToken(environmentToken, 'DRV_TOKEN')
    return undefined
  } catch (error) {
    return failed('token', error)
  }
}

/** The checks of the token and its scopes, from the response of the service. Pure. */
export function tokenChecks(
  {found, user, isRenewable, problem}: Checkup,
  embedded = false,
): readonly Check[] {
  const scopes = skipped('scopes', 'requires a working token')
  if (problem !== undefined) {
    const environmentToken = found?.source === 'DRV_TOKEN'
    const tokenCommand = found?.source === 'DRV_TOKEN_COMMAND'
    const circumstances = {environmentToken, tokenCommand, embedded}
    return [failed('token', problem, undefined, circumstances), scopes]
  }
  const {source = 'store'} = found ?? {}
  const from = source.startsWith('DRV_') ? source : `the ${source}`
  const expiry = expiryText(found)
  const renewal = isRenewable ? 'renewed then' : 'cannot be renewed'
  const end = expiry === undefined ? '' : `; valid until ${expiry}; ${renewal}`
  return [
    ok('token', `valid token of ${user?.login ?? 'an unknown user'} (from ${from})${end}`),
    scopesCheck(user?.scopes),
  ]
}

/** The number of operations that scopes allow. Pure. */
export function scopesCheck(scopes: readonly string[] | undefined): Check {
  if (scopes === undefined)
    return skipped('scopes', 'the service does not report the scopes of this token')
  const allowed = operations.filter(operation =>
    operation.scopes.some(scope => scopes.includes(scope)),
  )
  const names = printable(scopes.map(shortScope).join(', ') || 'none', 400)
  const found = `${names}: sufficient for ${allowed.length} of ${operations.length} operations`
  if (allowed.length > 0) return ok('scopes', found)
  return warning(
    'scopes',
    found,
    'Run `drv auth login --scope drive`, or create a token with that scope.',
  )
}
