import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
import {type FileHandle, lstat, open, stat} from 'node:fs/promises'
import type {Readable} from 'node:stream'

/**
 * Opens local files that users name. Opening a named pipe normally blocks a thread until a writer
 * appears, which keeps the process alive despite signals. Here no open blocks, and a pending read from
 * a pipe ends with the process.
 */

/** A stream for a named pipe, a file handle for anything else. */
export type OpenedFile = {readonly handle: FileHandle} | {readonly pipe: Readable}

// Windows has neither this flag nor named pipes in the file system.
const {O_RDONLY, O_NONBLOCK = 0} = constants

/** The open(2) flag for opening without blocking (O_NONBLOCK; 0 on Windows). */
export const WITHOUT_WAITING = O_NONBLOCK

/** Something other than a regular file is at a path. The message is a reason, to end a sentence with. */
export class SpecialFileError extends Error {
  constructor(
    readonly path: string,
    kind: string,
  ) {
    super(`it is ${kind}, not a regular file`)
    this.name = 'SpecialFileError'
  }
}

/**
 * Opens a file for reading with extra open(2) `flags`. Throws the system's error, and
 * `SpecialFileError` if the file is replaced with a named pipe meanwhile.
 */
export async function openFile(path: string, flags = 0): Promise<OpenedFile> {
  const known = await stat(path)
  if (known.isFIFO()) return {pipe: await openPipe(path, flags)}
  // A terminal opened with O_NONBLOCK cannot be read like a file.
  const wait = known.isCharacterDevice() ? 0 : O_NONBLOCK
  const handle = await open(path, O_RDONLY | wait | flags)
  try {
    if ((await handle.stat()).isFIFO()) throw new SpecialFileError(path, 'a named pipe')
    return {handle}
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** A stream of a named pipe's content, from its first writer until the last one closes it. */
async function openPipe(path: string, flags: number): Promise<Readable> {
  const fd = openSync(path, O_RDONLY | O_NONBLOCK | flags)
  if (!fstatSync(fd).isFIFO()) {
    closeSync(fd)
    throw new Error('it was replaced while drv opened it')
  }
  const {Socket} = await import('node:net')
  return new Socket({fd, readable: true, writable: false})
}

/** The content of a file in chunks. Throws what `openFile` throws. */
export async function* readFileChunks(path: string): AsyncGenerator<Buffer> {
  const opened = await openFile(path)
  const stream = 'pipe' in opened ? opened.pipe : opened.handle.createReadStream()
  yield* stream as AsyncIterable<Buffer>
}

/** The whole content of a UTF-8 file. Throws what `openFile` throws. */
export async function readTextFile(path: string): Promise<string> {
  const opened = await openFile(path)
  if ('pipe' in opened) {
    const {text} = await import('node:stream/consumers')
    return text(opened.pipe)
  }
  try {
    return await opened.handle.readFile('utf8')
  } finally {
    await opened.handle.close()
  }
}

/**
 * Throws `SpecialFileError` unless the path of one of drv's own files is free or a regular file. A link
 * to a regular file passes only if `followsLinks`.
 */
export async function requireRegularFile(path: string, followsLinks = false): Promise<void> {
  const found = await (followsLinks ? stat : lstat)(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (found) refuseSpecial(path, found)
}

/** The content of a regular file. */
export interface RegularFile {
  readonly text: string
  readonly mode: number
}

/**
 * Reads one of drv's own small files, following links; `undefined` if it does not exist. Throws the
 * system's error and `SpecialFileError`. It is synchronous because the thread pool takes longer and the
 * file usually does not exist.
 */
export function readRegularFile(path: string): RegularFile | undefined {
  const known = statSync(path, {throwIfNoEntry: false})
  if (!known) return undefined
  refuseSpecial(path, known)
  const file = openSync(path, O_RDONLY | O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    refuseSpecial(path, stats)
    return {text: readFileSync(file, 'utf8'), mode: stats.mode}
  } finally {
    closeSync(file)
  }
}

function refuseSpecial(path: string, found: Stats): void {
  if (found.isFile()) return
  if (found.isDirectory()) throw new SpecialFileError(path, 'a directory')
  if (found.isSymbolicLink()) throw new SpecialFileError(path, 'a symbolic link')
  throw new SpecialFileError(path, found.isFIFO() ? 'a named pipe' : 'a device or a socket')
}

/** A text exceeds its size limit. The message is a reason, to end a sentence with. */
export class TooLongError extends Error {
  constructor(limit: number) {
    super(`it is larger than ${limit / 1024 / 1024} MiB`)
    this.name = 'TooLongError'
  }
}

/** Maximum size of a text that is read as a whole, in bytes; the limit for responses too. */
export const LONGEST_TEXT = 16 * 1024 * 1024

/**
 * Collects a UTF-8 text from chunks. Throws `TooLongError` after more than `limit` bytes, and the
 * source's own errors.
 */
export async function boundedText(
  chunks: AsyncIterable<Uint8Array | string>,
  limit = LONGEST_TEXT,
): Promise<string> {
  const all: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk as Buffer)
    size += bytes.length
    if (size > limit) throw new TooLongError(limit)
    all.push(bytes)
  }
  return Buffer.concat(all).toString('utf8')
}
