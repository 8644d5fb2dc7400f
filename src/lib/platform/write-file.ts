import {randomBytes, randomUUID} from 'node:crypto'
import {
  closeSync,
  fsync,
  futimesSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import {mkdir, open, rm, stat} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {promisify} from 'node:util'
import {SetupError} from './setup-error.js'
import {reasonOf} from './system-errors.js'

interface Writing {
  /** The name beside the file's that it has until it is whole; what is left there is replaced. */
  readonly temporary?: string
  readonly mode?: number
  /** The modification time it gets, in milliseconds since 1970. */
  readonly modified?: number
  /** Whether it is on the disk for good before it gets its name. */
  readonly sync?: boolean
  /** Gives it its name. */
  readonly place?: (temporary: string, file: string) => void
}

/**
 * Writes a file whole or not at all, readable by its owner alone unless `mode` says otherwise. But
 * for the disk's own time each step is synchronous: on its way through the thread pool it takes
 * longer than all of them here, which is most of the time with thousands of small files.
 */
export async function writeWhole(
  file: string,
  content: string | Buffer,
  {
    temporary = temporaryFor(file),
    mode = 0o600,
    modified,
    sync = false,
    place = renameSync,
  }: Writing = {},
): Promise<void> {
  const opened = openNew(temporary, mode)
  try {
    try {
      writeFileSync(opened, content)
      if (modified !== undefined) futimesSync(opened, new Date(), new Date(modified))
      if (sync) await promisify(fsync)(opened)
    } finally {
      closeSync(opened)
    }
    place(temporary, file)
  } finally {
    remove(temporary)
  }
}

/** A name beside a file's that nothing else gets; the number of the process in it tells what is left over. */
export function temporaryFor(file: string): string {
  return `${file}.${process.pid}.${process.hrtime.bigint()}.tmp`
}

function openNew(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    unlinkSync(path)
    return openSync(path, 'wx', mode)
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // It has got another name.
  }
}

/**
 * Makes a directory, and those above it that are missing. Throws the system's error. Node's own way
 * of it never ends where a directory is there and takes nothing, as below /proc.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  if (await isMade(path, mode)) return
  await makeFolder(dirname(path), mode)
  if (await isMade(path, mode)) return
  throw Object.assign(new Error(`Nothing can be made in ${dirname(path)}.`), {code: 'EROFS', path})
}

/** Whether it is there now; not where that which it would be in is missing. */
async function isMade(path: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(path, mode)
    return true
  } catch (error) {
    if (await isFolder(path)) return true
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return false
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** As much as a sign-in writes at the most, in bytes. */
const ROOM = 64 * 1024

/**
 * Tries whether small files can be written in a directory, be it there already or yet to be made.
 * Throws `SetupError('configuration')` where they cannot. Nothing stays behind even of a process
 * that is killed: no directory is made, and the file has no name any more when something comes into it.
 */
export async function tryDirectory(directory: string): Promise<void> {
  try {
    await tryFile(join(await nearest(directory), `.${randomUUID()}.tmp`))
  } catch (error) {
    throw new SetupError(
      'configuration',
      `Nothing can be kept in ${directory}: ${reasonOf(error)}. Mend that, set DRV_CONFIG_DIR to another directory, or set DRV_TOKEN.`,
      {cause: error},
    )
  }
}

async function tryFile(file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await rm(file)
    // Some file systems need no room for zeros.
    await handle.writeFile(randomBytes(ROOM))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The directory itself, or the one above it that is there and that it would be made in. */
async function nearest(directory: string): Promise<string> {
  try {
    await stat(directory)
    return directory
  } catch (error) {
    const above = dirname(directory)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === directory) throw error
    return nearest(above)
  }
}
