import {statSync} from 'node:fs'
import {chmod, mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {delimiter, join, resolve} from 'node:path'
import {Flags} from '@oclif/core'
import {momentIn} from '#lib/api/moment.js'
import {UnknownScope} from '#lib/auth/scopes.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {ranked, shellQuoted} from '#lib/cli/terminal/read-argv.js'
import {directories, requiredDirectory, systemHome} from '#lib/config/paths.js'
import {errorWords} from '#lib/platform/system-errors.js'
import type {ServiceOptions} from '#lib/service/index.js'
import type {Store} from '#lib/service/store/index.js'
import type {Context} from './context.js'
import {localServiceFailureLog} from './embedded-service.js'

/** Shared by the `drv local` commands. The service itself is imported only when used. */

export const dataFlag = {
  data: ranked(22, Flags.string({summary: 'Data directory of the service.', helpValue: 'DIR'})),
}

/** The data directory: `--data`, or the default one. Throws `UsageError` for a file. */
export function dataDirectory(flag: string | undefined, environment: NodeJS.ProcessEnv): string {
  if (flag === '') throw new UsageError('Invalid --data: must not be empty.')
  if (flag !== undefined) {
    if (isNotDirectory(flag)) {
      throw new UsageError(
        `Invalid --data: ${flag} is not a directory.`,
        'Pass a directory, or a path that does not exist yet.',
      )
    }
    return resolve(flag)
  }
  return requiredDirectory('data', directories(environment, systemHome))
}

/** Whether the path is something other than a directory. The service reports paths that cannot be read. */
function isNotDirectory(path: string): boolean {
  try {
    return statSync(path, {throwIfNoEntry: false})?.isDirectory() === false
  } catch {
    return false
  }
}

/** Opens the data of the service until the command ends. */
export async function openData(
  flag: string | undefined,
  {environment, note, onEnd}: Pick<Context, 'environment' | 'note' | 'onEnd'>,
): Promise<Store> {
  const {openStore} = await import('#lib/service/store/index.js')
  const store = openStore(dataDirectory(flag, environment), {notice: note})
  onEnd(() => store.close())
  return store
}

/** Starts the service. Throws `CommandError` if the port is in use or not allowed. */
export async function startService({port = 0, ...options}: ServiceOptions) {
  const {createService} = await import('#lib/service/index.js')
  return createService({port, ...options}).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen') throw error
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error
    const reason = error.code === 'EACCES' ? 'permission denied' : 'another program is using it'
    throw new CommandError(
      'failed',
      `Cannot listen on port ${port}: ${reason}.`,
      'Choose another port with --port.',
    )
  })
}

/** Starts the service with the default data directory until the command ends. Returns its base URL. */
export async function startForCommand(
  context: Pick<Context, 'directories' | 'onEnd'> & Parameters<typeof localServiceFailureLog>[0],
): Promise<string> {
  const data = requiredDirectory('data', context.directories)
  const service = await startService({data, log: localServiceFailureLog(context), isOwned: true})
  context.onEnd(() => service.close())
  return service.url
}

/**
 * Creates a token for a user, and the user if it does not exist. `scopes` defaults to all scopes, the
 * `lifetime` in ms to no end. Throws
 * `UsageError` for an unknown scope.
 */
export async function makeToken(
  store: Store,
  {
    user,
    scopes,
    lifetime,
    note,
  }: {user?: string; scopes?: readonly string[]; lifetime?: number; note: string},
  now: number,
): Promise<string> {
  const [{mintToken}, {ensureUser}, {defaultUser}] = await Promise.all([
    import('#lib/service/oauth/tokens/mint-token.js'),
    import('#lib/service/store/users.js'),
    import('#lib/service/store/seeded.js'),
  ])
  const {allScopes, requestedScopes, unknownScopes} =
    await import('#lib/service/oauth/tokens/scopes.js')
  if (user?.trim() === '') throw new UsageError('Invalid --user: must not be empty.')
  const requested = (scopes ?? []).join(' ')
  const unknown = unknownScopes(requested)[0]
  if (unknown !== undefined) throw new UnknownScope(unknown)
  return mintToken(
    store,
    {
      user: user === undefined ? defaultUser(store, now) : ensureUser(store, user, now),
      scopes: scopes ? requestedScopes(requested) : allScopes(),
      note,
      ...(lifetime !== undefined && {expiresAt: now + lifetime}),
    },
    now,
  )
}

/** Creates a temporary directory. Returns its path and a function that removes it. */
export async function temporaryDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'drv-')).catch((error: Error) => {
    throw new CommandError(
      'failed',
      `Cannot create a temporary directory in ${tmpdir()}: ${errorWords(error.message)}.`,
      'Set TMPDIR to a directory that you can write to.',
    )
  })
  return {path, remove: () => rm(path, {recursive: true, force: true})}
}

/**
 * The environment for a command that uses the service at `url`: its URL and a token, without the other
 * `DRV_` variables. `bin` comes first in `PATH`, so that `drv` runs this program.
 */
export function launcherEnvironment(
  outer: NodeJS.ProcessEnv,
  {url, token, config, bin}: {url: string; token: string; config: string; bin: string},
): NodeJS.ProcessEnv {
  const kept = Object.entries(outer).filter(([name]) => !name.startsWith('DRV_'))
  // Windows spells it `Path`.
  const path = Object.keys(outer).find(name => name.toUpperCase() === 'PATH') ?? 'PATH'
  return {
    ...Object.fromEntries(kept),
    [path]: [bin, outer[path]].filter(Boolean).join(delimiter),
    DRV_BASE_URL: url,
    DRV_AUTH_URL: url,
    DRV_TOKEN: token,
    DRV_CONFIG_DIR: config,
  }
}

/** Writes launchers named `drv` and `drv.cmd` that start this program. */
export async function writeLauncher(directory: string, program: readonly string[]): Promise<void> {
  await mkdir(directory, {recursive: true})
  const words = program.map(shellQuoted).join(' ')
  const script = join(directory, 'drv')
  await writeFile(script, `#!/bin/sh\nexec ${words} "$@"\n`)
  await chmod(script, 0o755)
  const line = program.map(word => `"${word}"`).join(' ')
  await writeFile(join(directory, 'drv.cmd'), `@${line} %*\r\n`)
}

/** Sets the clock of the local service, for example to test the expiration of tokens. */
export const clockFlag = {
  clock: Flags.string({
    summary:
      'Clock of the service: an offset such as +2d (m, h, d, w), or a start time (default: now).',
    helpValue: 'OFFSET|TIME',
  }),
}

/**
 * The clock set with `--clock`, in Unix ms. It starts at the given time and advances with `now`.
 * `undefined` without the flag. Throws `UsageError` for an invalid time.
 */
export function clockOf(flag: string | undefined, now: () => number): (() => number) | undefined {
  if (flag === undefined) return undefined
  const offset = offsetOf(flag, now())
  if (offset !== undefined) return () => now() + offset
  throw new UsageError(
    `Invalid --clock "${flag}": expected an offset with a sign, a date or a time.`,
    'Examples: --clock +2d, --clock -1h, --clock 2027-03-01T12:00:00Z',
  )
}

/** The offset from `now` in milliseconds; `undefined` for an invalid time. */
function offsetOf(text: string, now: number): number | undefined {
  const moment = momentIn(text, now)
  // `2d` without a sign means "2 days ago" elsewhere, so it would be ambiguous here.
  if (moment === undefined || /^\d+ ?[a-z]+$/i.test(text)) return undefined
  return moment - now
}
