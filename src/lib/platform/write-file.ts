import {randomBytes} from 'node:crypto'
import {
  closeSync,
  fsync,
  futimesSync,
  openSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import {mkdir, open, rm, stat} from 'node:fs/promises'
import {hostname} from 'node:os'
import {dirname, join} from 'node:path'
import {promisify} from 'node:util'
import {crc32} from 'node:zlib'
import {markOfProcess} from './process-identity.js'
import {SetupError} from './setup-error.js'
import {reasonOf} from './system-errors.js'

interface Writing {
  /** The temporary path until the file is complete; an existing file there is replaced. */
  readonly temporary?: string
  readonly mode?: number
  /** Modification time to set, in milliseconds since 1970. */
  readonly modified?: number
  /** Whether to flush the file to disk (fsync) before it gets its final name, and the name too. */
  readonly sync?: boolean
  /** Moves the temporary file to its final name (default: rename). */
  readonly place?: (temporary: string, file: string) => void
}

/**
 * Writes a file atomically with mode 0600 unless `mode` says otherwise. Long content can come in pieces. Throws the
 * system's error.
 * Every step except fsync is synchronous: with thousands of small files, the detour through the thread
 * pool would take most of the time.
 */
export async function writeWhole(
  file: string,
  content: string | Buffer | Iterable<string>,
  {temporary, mode = 0o600, modified, sync = false, place = renameSync}: Writing = {},
): Promise<void> {
  if (temporary === undefined) {
    removeLeftovers(dirname(file))
    temporary = temporaryFor(file)
  }
  const opened = openNew(temporary, mode)
  try {
    try {
      for (const piece of piecesOf(content)) writeFileSync(opened, piece)
      if (modified !== undefined) futimesSync(opened, new Date(), new Date(modified))
      if (sync) await promisify(fsync)(opened)
    } finally {
      closeSync(opened)
    }
    place(temporary, file)
    // Otherwise a power failure could lose the name.
    if (sync) await flushFolder(dirname(file))
  } finally {
    remove(temporary)
  }
}

/** Flushes the names of a folder to disk, where that is possible. Throws the error of a broken disk. */
async function flushFolder(path: string): Promise<void> {
  let folder: number
  try {
    folder = openSync(path, 'r')
  } catch {
    // Windows cannot open folders, and the user may lack permission to read this one.
    return
  }
  try {
    await promisify(fsync)(folder)
  } catch (error) {
    // Some file systems cannot flush folders.
    if ((error as NodeJS.ErrnoException).code === 'EIO') throw error
  } finally {
    closeSync(folder)
  }
}

/** Characters to write at a time. */
const PIECE = 64 * 1024

function* piecesOf(content: string | Buffer | Iterable<string>): Generator<string | Buffer> {
  if (typeof content === 'string' || Buffer.isBuffer(content)) {
    yield content
    return
  }
  let piece = ''
  for (const text of content) {
    piece += text
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  yield piece
}

/** A unique temporary path beside a file. It contains process ID and machine, which identify leftovers. */
export function temporaryFor(file: string): string {
  return `${file}.${process.pid}.${machine()}-${process.hrtime.bigint()}.tmp`
}

const TEMPORARY = /\.(\d+)\.([\da-f]{8})-\d+\.tmp$/

/** Whether `path` is one that `temporaryFor` returns for a file, in any process. */
export function isTemporaryFor(file: string, path: string): boolean {
  const found = TEMPORARY.exec(path)
  return found !== null && path.slice(0, found.index) === file
}

/** Removes temporary files of processes that were killed on this machine. Errors are ignored. */
export function removeLeftovers(directory: string): void {
  for (const name of namesIn(directory)) {
    const [, pid, host] = TEMPORARY.exec(name) ?? []
    // Processes of other machines that share the directory may be running.
    if (host === machine() && markOfProcess(Number(pid)) === undefined) {
      remove(join(directory, name))
    }
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Distinguishes machines, without revealing their names. No hash, because node:crypto would slow every start down. */
function machine(): string {
  return crc32(hostname()).toString(16).padStart(8, '0')
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
    // It was renamed, or another process removed it.
  }
}

/**
 * Creates a directory and its missing parents. Throws the system's error. Node's recursive `mkdir`
 * never returns below directories that accept no entries, such as /proc.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  if (await isMade(path, mode)) return
  await makeFolder(dirname(path), mode)
  if (await isMade(path, mode)) return
  throw Object.assign(new Error(`Cannot create anything in ${dirname(path)}.`), {
    code: 'EROFS',
    path,
  })
}

/** Whether the directory exists now; false if its parent is missing. */
async function isMade(path: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(path, mode)
    return true
  } catch (error) {
    if (await isFolder(path)) return true
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw notFolder(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return false
  }
}

/** The system's error for a path whose parent is a file. */
function notFolder(path: string): Error {
  return Object.assign(new Error(`${path} is not a directory.`), {code: 'ENOTDIR', path})
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** Bytes that a sign-in writes at most. */
const ROOM = 64 * 1024

/**
 * Checks that small files can be written in a directory, which may not exist yet. Throws
 * `SetupError('configuration')` if they cannot. It creates no directory and unlinks its test file
 * before writing to it. If the process is killed in between, the next check removes the file.
 */
export async function tryDirectory(directory: string): Promise<void> {
  try {
    const folder = await nearest(directory)
    removeLeftovers(folder)
    await tryFile(temporaryFor(join(folder, '.drv-test')))
  } catch (error) {
    throw new SetupError(
      'configuration',
      `Cannot write to ${directory}: ${reasonOf(error)}. Check the path and its permissions, set DRV_CONFIG_DIR to another directory, or set DRV_TOKEN.`,
      {cause: error},
    )
  }
}

async function tryFile(file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await rm(file)
    // Some file systems store zeros without using space, so write random bytes.
    await handle.writeFile(randomBytes(ROOM))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The directory itself or its nearest existing parent. */
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
