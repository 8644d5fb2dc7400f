import {homedir} from 'node:os'
import {isAbsolute, join} from 'node:path'
import {SetupError} from '#lib/platform/setup-error.js'

/**
 * The directories of drv, by the XDG base directory specification: relative values are ignored, as it demands.
 * Nothing is created here, and a missing home directory is not an error until a path is needed.
 */

export type Environment = Readonly<Record<string, string | undefined>>

/** The three kinds of directories; `undefined` if neither a variable nor a home directory is set. */
export interface Directories {
  /** Settings, and tokens of the file store: `DRV_CONFIG_DIR`, else `$XDG_CONFIG_HOME/drv`. */
  readonly config?: string
  /** The data of the local service: `$XDG_DATA_HOME/drv/local`. */
  readonly data?: string
  /** State that is safe to delete: `$XDG_STATE_HOME/drv`. */
  readonly state?: string
}

/** The directories for an environment. `home` is called only if no variable is set. */
export function directories(env: Environment, home: () => string | undefined): Directories {
  const below = chooser(env, home)
  const data = below('XDG_DATA_HOME', '.local', 'share')
  return {
    config: env.DRV_CONFIG_DIR || below('XDG_CONFIG_HOME', '.config'),
    data: data && join(data, 'local'),
    state: below('XDG_STATE_HOME', '.local', 'state'),
  }
}

/**
 * The directory for files that drv can recreate, such as compiled code: `$XDG_CACHE_HOME/drv`, else the cache directory
 * of the platform.
 */
export function cacheDirectory(
  env: Environment,
  home: () => string | undefined,
  platform: NodeJS.Platform,
): string | undefined {
  const below = chooser(env, home)
  if (platform === 'darwin') return below('XDG_CACHE_HOME', 'Library', 'Caches')
  const isWindows = platform === 'win32' && !env.XDG_CACHE_HOME
  return below(isWindows ? 'LOCALAPPDATA' : 'XDG_CACHE_HOME', '.cache')
}

/** Returns a function that chooses the directory of a variable, else one below the home directory. */
function chooser(env: Environment, home: () => string | undefined) {
  return (variable: string, ...fallback: string[]): string | undefined => {
    const value = env[variable]
    if (value && isAbsolute(value)) return join(value, 'drv')
    const base = env.HOME || home()
    return base && isAbsolute(base) ? join(base, ...fallback, 'drv') : undefined
  }
}

/** The home directory of the system user, if there is one. */
export function systemHome(): string | undefined {
  try {
    return homedir() || undefined
  } catch {
    return undefined
  }
}

/** A directory that is required; throws `SetupError('configuration')` with the variable to set. */
export function requiredDirectory(kind: keyof Directories, all: Directories): string {
  const directory = all[kind]
  if (directory) return directory
  const variable = {config: 'DRV_CONFIG_DIR', data: 'XDG_DATA_HOME', state: 'XDG_STATE_HOME'}[kind]
  const name = kind === 'config' ? 'configuration' : kind
  throw new SetupError(
    'configuration',
    `Cannot determine the ${name} directory: no home directory found. Set ${variable} to a directory that you can write to.`,
  )
}
