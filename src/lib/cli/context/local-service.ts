import {statSync} from 'node:fs'
import {chmod, mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {delimiter, join, resolve} from 'node:path'
import {Flags} from '@oclif/core'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {momentIn} from '#lib/cli/terminal/moment.js'
import {quoted, ranked} from '#lib/cli/terminal/read-argv.js'
import {directories, needed, systemHome} from '#lib/config/paths.js'
import {bareWords} from '#lib/platform/system-errors.js'
import type {ServiceOptions} from '#lib/service/index.js'
import type {Store} from '#lib/service/store/index.js'
import type {Context} from './context.js'
import {innerFailureLog} from './embedded-service.js'

/** What the commands of the embedded service share. The service itself is imported only when used. */

export const dataFlag = {
  data: ranked(
    22,
    Flags.string({summary: 'Directory that holds the files of the service.', helpValue: 'DIR'}),
  ),
}

/** The data directory that `--data` names, else the usual one. Throws `UsageError` for a file. */
export function dataDirectory(flag: string | undefined, environment: NodeJS.ProcessEnv): string {
  if (flag === '') throw new UsageError('--data must not be empty.')
  if (flag !== undefined) {
    if (isNoDirectory(flag)) {
      throw new UsageError(
        `--data must be a directory, and ${flag} is none.`,
        'Name a directory, or a path where there is nothing yet.',
      )
    }
    return resolve(flag)
  }
  return needed('data', directories(environment, systemHome))
}

/** Whether something else is there. What cannot be looked at is for the service to judge. */
function isNoDirectory(path: string): boolean {
  try {
    return statSync(path, {throwIfNoEntry: false})?.isDirectory() === false
  } catch {
    return false
  }
}

/** The data of the service, open until the command ends. */
export async function openData(
  flag: string | undefined,
  {environment, note, onEnd}: Pick<Context, 'environment' | 'note' | 'onEnd'>,
): Promise<Store> {
  const {openStore} = await import('#lib/service/store/index.js')
  const store = openStore(dataDirectory(flag, environment), {notice: note})
  onEnd(() => store.close())
  return store
}

/** Starts the service; says plainly when the port is taken. */
export async function startService({port = 0, ...options}: ServiceOptions) {
  const {createService} = await import('#lib/service/index.js')
  return createService({port, ...options}).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen') throw error
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error
    const words = error.code === 'EACCES' ? 'is not allowed' : 'is taken by another program'
    throw new CommandError('failed', `Port ${port} ${words}.`, 'Choose another one with --port.')
  })
}

/** Starts the service over the usual data until the command ends; answers its address. */
export async function startForCommand(
  context: Pick<Context, 'directories' | 'onEnd'> & Parameters<typeof innerFailureLog>[0],
): Promise<string> {
  const data = needed('data', context.directories)
  const service = await startService({data, log: innerFailureLog(context), isOwned: true})
  context.onEnd(() => service.close())
  return service.url
}

/**
 * Makes a token for a user, who is made as well where there is none of that name. Without scopes
 * it may do everything. Throws `UsageError` for a scope that the service does not know.
 */
export async function makeToken(
  store: Store,
  {user, scopes, note}: {user?: string; scopes?: readonly string[]; note: string},
  now: number,
): Promise<string> {
  const [{mintToken}, {DEFAULT_LOGIN, ensureUser}] = await Promise.all([
    import('#lib/service/oauth/tokens/mint-token.js'),
    import('#lib/service/store/users.js'),
  ])
  const {allScopes, requestedScopes, unknownScopes} =
    await import('#lib/service/oauth/tokens/scopes.js')
  if (user?.trim() === '') throw new UsageError('--user must not be empty.')
  const asked = (scopes ?? []).join(' ')
  const unknown = unknownScopes(asked)[0]
  if (unknown !== undefined) {
    throw new UsageError(
      `There is no scope "${unknown}".`,
      '`drv api describe --json` has them all.',
    )
  }
  return mintToken(
    store,
    {
      user: ensureUser(store, user ?? DEFAULT_LOGIN, now),
      scopes: scopes ? requestedScopes(asked) : allScopes(),
      note,
    },
    now,
  )
}

/** A directory of its own under the system's temporary one, and how to remove it. */
export async function temporaryDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'drv-')).catch((error: Error) => {
    throw new CommandError(
      'failed',
      `No directory can be made in ${tmpdir()}: ${bareWords(error.message)}.`,
      'Set TMPDIR to a directory of your own.',
    )
  })
  return {path, remove: () => rm(path, {recursive: true, force: true})}
}

/**
 * The environment for a command that works with the service at `url`: its address and a token, and
 * nothing of what the surroundings say about other services. `drv` means this very program.
 */
export function innerEnvironment(
  outer: NodeJS.ProcessEnv,
  {url, token, config, bin}: {url: string; token: string; config: string; bin: string},
): NodeJS.ProcessEnv {
  const kept = Object.entries(outer).filter(([name]) => !name.startsWith('DRV_'))
  // Windows writes it `Path`.
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

/** Puts a `drv` into `directory` that starts this very program. */
export async function writeLauncher(directory: string, program: readonly string[]): Promise<void> {
  await mkdir(directory, {recursive: true})
  const words = program.map(quoted).join(' ')
  const script = join(directory, 'drv')
  await writeFile(script, `#!/bin/sh\nexec ${words} "$@"\n`)
  await chmod(script, 0o755)
  const line = program.map(word => `"${word}"`).join(' ')
  await writeFile(join(directory, 'drv.cmd'), `@${line} %*\r\n`)
}

/** The flag by which the local service goes by another time, so that what ends after days ends now. */
export const clockFlag = {
  clock: Flags.string({
    summary:
      'Go by another time: +2d is two days ahead (m, h, d, w), a date or time where it begins.',
    helpValue: '+2d|TIME',
  }),
}

/**
 * The clock that `--clock` asks for, in Unix ms, which goes on from there as `now` does; `undefined`
 * without the flag. Throws `UsageError` for what is no time.
 */
export function clockOf(flag: string | undefined, now: () => number): (() => number) | undefined {
  if (flag === undefined) return undefined
  const ahead = aheadBy(flag, now())
  if (ahead !== undefined) return () => now() + ahead
  throw new UsageError(
    `--clock must be so much ahead or behind, or a date or time, not "${flag}".`,
    'Such as: --clock +2d, --clock -1h, --clock 2027-03-01T12:00:00Z',
  )
}

/** Milliseconds; `undefined` for what is no time. */
function aheadBy(text: string, now: number): number | undefined {
  const moment = momentIn(text, now)
  // Without a sign an age is no moment to begin at.
  if (moment === undefined || /^\d+ ?[a-z]+$/i.test(text)) return undefined
  return moment - now
}
