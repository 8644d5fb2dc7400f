import {randomUUID} from 'node:crypto'
import {constants, copyFileSync, linkSync} from 'node:fs'
import {rename, rm, stat} from 'node:fs/promises'
import {dirname} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {readTextFile, requireRegularFile} from './open-file.js'
import {signature, signerOf} from './process-identity.js'
import {SetupError} from './setup-error.js'
import {reasonOf} from './system-errors.js'
import {makeFolder, temporaryFor, writeWhole} from './write-file.js'

/**
 * Locks between processes. A lock is a file that names its process from the moment it exists, because a
 * process may be killed at any time. It is valid while that process runs.
 */

/** Milliseconds for which a lock is valid if the state of its process is unknown. */
const LONGEST_UNKNOWN = 30_000

/**
 * Takes a lock and returns a function that releases it; `undefined` if another process holds it.
 * Creates missing directories with mode 0700. Throws the system's error if the lock file cannot be
 * created, and `SpecialFileError` if something other than a regular file is in its place.
 */
export async function tryLock(file: string): Promise<(() => Promise<void>) | undefined> {
  await makeFolder(dirname(file), 0o700)
  await requireRegularFile(file)
  const found = await readLock(file)
  if (found?.counts) return undefined
  if (found) await removeStale(file, found.text)
  const text = JSON.stringify({...signature(), id: randomUUID()})
  try {
    await writeWhole(file, text, {place: linkNew})
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    // Windows reports EPERM for a file that is being deleted.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return undefined
    throw error
  }
  return async () => {
    if ((await textOf(file)) === text) await rm(file, {force: true})
  }
}

/** Whether some process holds the lock. */
export async function isLocked(file: string): Promise<boolean> {
  return (await readLock(file))?.counts ?? false
}

/** Removes a lock whose process has ended. */
export async function removeStaleLock(file: string): Promise<void> {
  const found = await readLock(file)
  if (found && !found.counts) await removeStale(file, found.text)
}

/** The content of a lock file, and whether it is valid. */
async function readLock(file: string): Promise<{text: string; counts: boolean} | undefined> {
  const text = await textOf(file)
  if (text === undefined) return undefined
  const signer = signerOf(text)
  if (signer !== 'unknown') return {text, counts: signer !== 'ended'}
  const facts = await stat(file).catch(() => undefined)
  // The clock may have been set back since.
  return facts && {text, counts: Math.abs(Date.now() - facts.mtimeMs) <= LONGEST_UNKNOWN}
}

export interface LockOptions {
  /** Milliseconds to wait for the lock (default: 3000). */
  readonly patience?: number
  /** The error message after that time. */
  readonly busy?: (file: string) => string
  /** Called once if another process still has the lock after `waitTold` milliseconds. */
  readonly onWait?: () => void
  readonly waitTold?: number
}

const isChanging = (file: string) =>
  `Another drv process is changing the configuration. Try again. If no other drv process is running, delete ${file}.`

/**
 * Runs `work` while holding a lock. Throws `SetupError('configuration')` if the lock is not released in
 * time or cannot be created.
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
    // Random, so that waiting processes do not all retry at the same time.
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
    `Cannot write ${file}: ${reasonOf(cause)}. Check the path and its permissions, or set DRV_CONFIG_DIR to another directory.`,
    {cause},
  )
}

/** Gives a file a name that must be free. Throws EEXIST if it is taken. */
function linkNew(temporary: string, file: string): void {
  try {
    linkSync(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Some file systems do not support hard links.
    copyFileSync(temporary, file, constants.COPYFILE_EXCL)
  }
}

/** Removes a stale lock. It is renamed first, so that only one process removes it. */
async function removeStale(file: string, text: string): Promise<void> {
  const moved = temporaryFor(file)
  await rename(file, moved).catch(() => undefined)
  // Another process was faster and this is its new lock: put it back.
  if (((await textOf(moved)) ?? text) !== text) await rename(moved, file).catch(() => undefined)
  await rm(moved, {force: true})
}

/** The text of a regular file; `undefined` if it is missing, special or unreadable. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    await requireRegularFile(file)
    return await readTextFile(file)
  } catch {
    return undefined
  }
}
