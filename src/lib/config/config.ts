import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {isObject} from '../api/validate.js'
import {SetupError} from './errors.js'
import {writePrivately} from './write.js'

/** Where a token is kept. The embedded service's tokens are kept the same way as any other. */
export type StoreKind = 'keychain' | 'file'

/** One profile as `config.json` holds it. There is never a secret in it. */
export interface Profile {
  readonly baseUrl?: string
  readonly authUrl?: string
  readonly clientId?: string
  /** By the service a token was given for (`local`, or an origin): where the token lies. */
  readonly tokens?: Readonly<Record<string, StoreKind>>
}

/** The file `config.json` in the configuration directory. */
export interface Config {
  /** The profile to use when none is named. */
  readonly profile?: string
  readonly profiles: Readonly<Record<string, Profile>>
}

const EMPTY_CONFIG: Config = {profiles: {}}

function configFile(directory: string): string {
  return join(directory, 'config.json')
}

/** Reads the configuration; none yet is an empty one. Throws `SetupError` for a file that is no configuration. */
export async function readConfig(directory: string | undefined): Promise<Config> {
  if (directory === undefined) return EMPTY_CONFIG
  const file = configFile(directory)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return EMPTY_CONFIG
    throw new SetupError(
      'configuration',
      `Cannot read ${file} (${code}). Make it readable for you, or set DRV_CONFIG_DIR.`,
      {cause: error},
    )
  }
  return parseConfig(text, file)
}

/** Parses a configuration; `file` is named in the `SetupError` for one that does not hold. */
function parseConfig(text: string, file: string): Config {
  const value = json(text)
  const wrong = isObject(value) ? problem(value) : 'is not a JSON object'
  if (wrong === undefined) return {profiles: {}, ...(value as Partial<Config>)}
  throw new SetupError('configuration', `${file} ${wrong}. Mend it, or move it away to start anew.`)
}

/** Writes the configuration, whole or not at all. */
export async function writeConfig(directory: string, config: Config): Promise<void> {
  const file = configFile(directory)
  try {
    await writePrivately(file, `${JSON.stringify(config, null, 2)}\n`)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    throw new SetupError(
      'configuration',
      `Cannot write ${file} (${code}). Make the directory writable, or set DRV_CONFIG_DIR.`,
      {cause: error},
    )
  }
}

/** The configuration with a profile changed by `change`; one that is new starts empty. */
export function withProfile(
  config: Config,
  name: string,
  change: (profile: Profile) => Profile,
): Config {
  return {...config, profiles: {...config.profiles, [name]: change(profileOf(config, name) ?? {})}}
}

/** The configuration with a note of where a token lies, or with that note taken away. */
export function withToken(
  config: Config,
  name: string,
  binding: string,
  kind: StoreKind | undefined,
): Config {
  return withProfile(config, name, profile => {
    const {[binding]: _, ...others} = profile.tokens ?? {}
    return {...profile, tokens: kind ? {...others, [binding]: kind} : others}
  })
}

/** A profile by name: names come from outside, and `constructor` is none. */
export function profileOf(config: Config, name: string): Profile | undefined {
  return Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function problem(config: Record<string, unknown>): string | undefined {
  if (config.profile !== undefined && typeof config.profile !== 'string') {
    return 'has a "profile" that is no text'
  }
  if (config.profiles !== undefined && !isObject(config.profiles)) {
    return 'has "profiles" that are no object'
  }
  for (const [name, profile] of Object.entries(config.profiles ?? {})) {
    if (!isObject(profile)) return `has a profile ${JSON.stringify(name)} that is no object`
    for (const key of ['baseUrl', 'authUrl', 'clientId']) {
      const value = profile[key]
      if (value !== undefined && typeof value !== 'string') {
        return `has a profile ${JSON.stringify(name)} whose "${key}" is no text`
      }
    }
    const tokens = profile.tokens ?? {}
    if (
      !isObject(tokens) ||
      !Object.values(tokens).every(kind => kind === 'keychain' || kind === 'file')
    ) {
      return `has a profile ${JSON.stringify(name)} whose "tokens" are not "keychain" or "file"`
    }
  }
  return undefined
}
