import {randomUUID} from 'node:crypto'
import {constants, copyFileSync, linkSync} from 'node:fs'
import {rename, rm, stat} from 'node:fs/promises'
import {dirname} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {readText, requireRegularFile} from './open-file.js'
import {signature, signerOf} from './process-identity.js'
import {SetupError} from './setup-error.js'
import {reasonOf} from './system-errors.js'
import {makeFolder, temporaryFor, writeWhole} from './write-file.js'

/**
 * Locks between processes: a file each, which says from its first moment on whose it is, for a
 * process may be killed any time. It counts as long as that process works.
 */

/** Milliseconds that a lock counts of which nobody can tell whether its process works. */
const LONGEST_UNKNOWN = 30_000

/**
 * Takes a lock, and gives what releases it; `undefined` where another has it. Missing directories
 * are made, for the owner alone. Throws the system's error where its file cannot be made, and
 * `SpecialFileError` where something other than a file is in its place.
 */
export async function tryLock(file: string): Promise<(() => Promise<void>) | undefined> {
  await makeFolder(dirname(file), 0o700)
  await requireRegularFile(file)
  const found = await look(file)
  if (found?.counts) return undefined
  if (found) await removeStale(file, found.text)
  const text = JSON.stringify({...signature(), id: randomUUID()})
  try {
    await writeWhole(file, text, {place: linkNew})
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    // Windows says EPERM of a file that is just being deleted.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return undefined
    throw error
  }
  return async () => {
    if ((await textOf(file)) === text) await rm(file, {force: true})
  }
}

/** Whether somebody has a lock. */
export async function isLocked(file: string): Promise<boolean> {
  return (await look(file))?.counts ?? false
}

/** What a lock says, and whether it counts. */
async function look(file: string): Promise<{text: string; counts: boolean} | undefined> {
  const text = await textOf(file)
  if (text === undefined) return undefined
  const signer = signerOf(text)
  if (signer !== 'unknown') return {text, counts: signer !== 'ended'}
  const facts = await stat(file).catch(() => undefined)
  return facts && {text, counts: Date.now() - facts.mtimeMs <= LONGEST_UNKNOWN}
}

export interface LockOptions {
  /** Milliseconds until it is given up. */
  readonly patience?: number
  /** What is said then. */
  readonly busy?: (file: string) => string
  /** Hears once, after so many milliseconds, that another process has the lock. */
  readonly onWait?: () => void
  readonly waitTold?: number
}

const isChanging = (file: string) =>
  `Another drv is changing the configuration. Try again; if none runs, delete ${file}.`

/**
 * Does `work` while no other process that asks for the same lock does its own. Throws
 * `SetupError('configuration')` where the lock does not come free in time, or its file cannot be
 * made.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  {patience = 3000, busy = isChanging, onWait, waitTold = 1000}: LockOptions = {},
): Promise<T> {
  const started = performance.now()
  let tell = onWait
  let release: (() => Promise<void>) | undefined
  while (!(release = await tryLock(file).catch(unwritable(file)))) {
    const waited = performance.now() - started
    if (waited > patience) throw new SetupError('configuration', busy(file))
    if (waited > waitTold) {
      tell?.()
      tell = undefined
    }
    // A random part, so that those who wait do not all come back at once.
    await wait(5 + Math.random() * 20)
  }
  try {
    return await work()
  } finally {
    await release()
  }
}

const unwritable = (file: string) => (cause: unknown) => {
  throw new SetupError(
    'configuration',
    `Cannot write ${file}: ${reasonOf(cause)}. Mend that, or set DRV_CONFIG_DIR to another directory.`,
    {cause},
  )
}

/** Gives a file a name that nothing has yet. */
function linkNew(temporary: string, file: string): void {
  try {
    linkSync(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Some file systems know no links.
    copyFileSync(temporary, file, constants.COPYFILE_EXCL)
  }
}

/** Takes away a lock that counts no more; it is moved first, so that only one process does so. */
async function removeStale(file: string, text: string): Promise<void> {
  const moved = temporaryFor(file)
  await rename(file, moved).catch(() => undefined)
  // Another process was faster, and this is its own lock already: it gets it back.
  if (((await textOf(moved)) ?? text) !== text) await rename(moved, file).catch(() => undefined)
  await rm(moved, {force: true})
}

/** What a file says; `undefined` for one that is not there or cannot be read. Nothing else is read. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    await requireRegularFile(file)
    return await readText(file)
  } catch {
    return undefined
  }
}
