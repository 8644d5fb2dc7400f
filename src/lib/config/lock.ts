import {randomUUID} from 'node:crypto'
import {open, readFile, rename, rm, stat} from 'node:fs/promises'
import {dirname} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {reasonOf} from '../api/systemwords.js'
import {SetupError} from './errors.js'
import {makeFolder} from './folder.js'
import {hasEnded, signatureOf} from './process.js'

/** Milliseconds to wait for another process, and how long at most one may hold a lock. */
const PATIENCE = 3000
const LONGEST_HOLD = 30_000

/**
 * Does `work` while no other process that asks for the same lock does its own: a file that exists
 * as long as the work lasts. What a process that died left behind is taken away. Throws
 * `SetupError('configuration')` where the lock does not come free within `patience` milliseconds,
 * or its file cannot be made.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  patience = PATIENCE,
): Promise<T> {
  const mark = JSON.stringify({...signatureOf(process.pid), id: randomUUID()})
  const deadline = performance.now() + patience
  await makeFolder(dirname(file), 0o700).catch((error: unknown) => {
    throw unwritable(file, error)
  })
  while (!(await take(file, mark))) {
    await removeStale(file)
    if (performance.now() > deadline) {
      throw new SetupError(
        'configuration',
        `Another drv is changing the configuration. Try again; if none runs, delete ${file}.`,
      )
    }
    // A random part, so that those who wait do not all come back at once.
    await wait(5 + Math.random() * 20)
  }
  try {
    return await work()
  } finally {
    if ((await markOf(file)) === mark) await rm(file, {force: true})
  }
}

/** Makes the lock's file, unless it is there. */
async function take(file: string, mark: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(mark)
    } catch (error) {
      // On a full disk; nobody could tell whose it is.
      await rm(file, {force: true})
      throw error
    } finally {
      await handle.close()
    }
    return true
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    // Windows says EPERM of a file that is just being deleted.
    if (code === 'EEXIST' || (code === 'EPERM' && process.platform === 'win32')) return false
    throw unwritable(file, error)
  }
}

function unwritable(file: string, error: unknown): SetupError {
  return new SetupError(
    'configuration',
    `Cannot write ${file}: ${reasonOf(error)}. Mend that, or set DRV_CONFIG_DIR to another directory.`,
    {cause: error},
  )
}

/** Takes away a lock whose process is gone; it is moved first, so that only one process does so. */
async function removeStale(file: string): Promise<void> {
  const mark = await markOf(file)
  const age = await stat(file).then(
    ({mtimeMs}) => Date.now() - mtimeMs,
    () => undefined,
  )
  if (mark === undefined || age === undefined) return
  if (age <= LONGEST_HOLD && !hasEnded(mark)) return
  const moved = `${file}.${randomUUID()}`
  await rename(file, moved).catch(() => undefined)
  // Another process was faster, and this is its own lock already: it gets it back.
  if (((await markOf(moved)) ?? mark) !== mark) await rename(moved, file).catch(() => undefined)
  await rm(moved, {force: true})
}

async function markOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined)
}
