import {homedir} from 'node:os'
import {isAbsolute, join} from 'node:path'
import {SetupError} from '#lib/platform/setup-error.js'

/**
 * Where things lie, by the XDG base directory rules: relative values are ignored, as they demand.
 * Nothing is made here, and a missing home directory is no error until a path is needed.
 */

export type Environment = Readonly<Record<string, string | undefined>>

/** The three kinds of directories; `undefined` where neither a variable nor a home says where. */
export interface Directories {
  /** Settings and, if so chosen, tokens: `DRV_CONFIG_DIR`, else `$XDG_CONFIG_HOME/drv`. */
  readonly config?: string
  /** The files of the embedded service: `$XDG_DATA_HOME/drv/local`. */
  readonly data?: string
  /** What may be lost without harm: `$XDG_STATE_HOME/drv`. */
  readonly state?: string
}

/** Directories for an environment. `home` is looked up only where no variable answers. */
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
 * What can be made anew, such as compiled code: `$XDG_CACHE_HOME/drv`, else where the platform keeps
 * such things.
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

/** Chooses between the directory of a variable and one below the home directory. */
function chooser(env: Environment, home: () => string | undefined) {
  return (variable: string, ...fallback: string[]): string | undefined => {
    const value = env[variable]
    if (value && isAbsolute(value)) return join(value, 'drv')
    const base = env.HOME || home()
    return base && isAbsolute(base) ? join(base, ...fallback, 'drv') : undefined
  }
}

/** The home directory the system knows, where it knows one. */
export function systemHome(): string | undefined {
  try {
    return homedir() || undefined
  } catch {
    return undefined
  }
}

/** A directory that must be known now; throws `SetupError('configuration')` that names the way out. */
export function needed(kind: keyof Directories, all: Directories): string {
  const directory = all[kind]
  if (directory) return directory
  const variable = {config: 'DRV_CONFIG_DIR', data: 'XDG_DATA_HOME', state: 'XDG_STATE_HOME'}[kind]
  throw new SetupError(
    'configuration',
    `There is no home directory to keep ${kind} in. Set ${variable} to a directory of your own.`,
  )
}
