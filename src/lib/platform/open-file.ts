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
 * The one place that opens local files that people name. To open a named pipe waits for whoever
 * writes to it, in a thread that keeps the process alive for as long: no signal ends that. Here no
 * opening waits, and what waits for the content of a pipe ends with the process.
 */

/** A named pipe comes as a stream, anything else as a handle. */
export type OpenedFile = {readonly handle: FileHandle} | {readonly pipe: Readable}

/** Windows has no such flag, and no named pipes among its files. */
const {O_RDONLY, O_NONBLOCK = 0} = constants

/** The flag of open(2) with which no opening waits. */
export const WITHOUT_WAITING = O_NONBLOCK

/** Something other than a regular file is where one is needed. The message is the reason, as the end of a sentence. */
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
 * Opens a file for reading; `flags` are added to those of open(2). Throws the system's error, and
 * `SpecialFileError` for a file that becomes a named pipe meanwhile.
 */
export async function openFile(path: string, flags = 0): Promise<OpenedFile> {
  const known = await stat(path)
  if (known.isFIFO()) return {pipe: await openPipe(path, flags)}
  // A terminal that is opened so could not be read like a file.
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

/** A stream of what comes through a named pipe, from its first writer on until the last one has closed it. */
async function openPipe(path: string, flags: number): Promise<Readable> {
  const fd = openSync(path, O_RDONLY | O_NONBLOCK | flags)
  if (!fstatSync(fd).isFIFO()) {
    closeSync(fd)
    throw new Error('it was replaced while it was opened')
  }
  const {Socket} = await import('node:net')
  return new Socket({fd, readable: true, writable: false})
}

/** The content of a file as it is read, from opening it on. Fails as `openFile` does. */
export async function* readFileChunks(path: string): AsyncGenerator<Buffer> {
  const opened = await openFile(path)
  const stream = 'pipe' in opened ? opened.pipe : opened.handle.createReadStream()
  yield* stream as AsyncIterable<Buffer>
}

/** The whole text of a file, in UTF-8. Fails as `openFile` does. */
export async function readText(path: string): Promise<string> {
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
 * Throws `SpecialFileError` where something other than a regular file is at a path at which drv keeps
 * a file of its own. Nothing at all is right, and a link to such a file only if `followsLinks`.
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
 * Reads a small file at which drv keeps something of its own; `undefined` where there is none. Throws
 * the system's error, and `SpecialFileError` as above; links are followed. It is synchronous, for the
 * way through the thread pool takes longer, and mostly there is no file.
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

/** More was given than is read whole. The message is the reason, as the end of a sentence. */
export class TooLongError extends Error {
  constructor(limit: number) {
    super(`it is longer than ${limit / 1024 / 1024} MiB, the most that drv reads whole`)
    this.name = 'TooLongError'
  }
}

/** The most bytes of a text that is read whole: as many as an answer of a service may have. */
export const LONGEST_TEXT = 16 * 1024 * 1024

/**
 * The whole text that comes as bytes of UTF-8. Throws `TooLongError` as soon as more than `limit` bytes
 * came, and whatever the source fails with.
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
