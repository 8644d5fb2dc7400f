import {statSync} from 'node:fs'
import {join} from 'node:path'
import type {Context} from '#lib/cli/context/context.js'
import {readConfig} from '#lib/config/config.js'
import {type AddressSource, resolveSettings, type Settings} from '#lib/config/settings.js'
import {type Check, failed, ok, warning} from './check.js'

/** What was found out about where to work, as far as that could be told. */
export interface Place {
  readonly checks: readonly Check[]
  readonly settings?: Settings
}

/**
 * Looks at the configuration and at the addresses that it and the environment give. A token of the
 * environment is left out: one that cannot be a token is a fault of its own.
 */
export async function settingsChecks({
  options,
  environment,
  directories: {config: directory},
}: Pick<Context, 'options' | 'environment' | 'directories'>): Promise<Place> {
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
  return [
    ok(
      'addresses',
      `files at ${baseUrl} (${sourceWords(sources?.baseUrl, 'DRV_BASE_URL', profile)})`,
    ),
    ok(
      'addresses',
      `sign-in at ${authUrl} (${sourceWords(sources?.authUrl, 'DRV_AUTH_URL', profile)})`,
    ),
  ]
}

function sourceWords(source: AddressSource | undefined, variable: string, profile: string): string {
  switch (source) {
    case 'environment':
      return variable
    case 'profile':
      return `profile "${profile}"`
    default:
      return 'the same host'
  }
}
