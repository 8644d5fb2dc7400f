import {hash} from 'node:crypto'
import {closeSync, fstatSync, readFileSync} from 'node:fs'
import type {FileHandle} from 'node:fs/promises'
import {resolve} from 'node:path'
import {Readable} from 'node:stream'
import {CHUNK_UNIT} from '#lib/api/wire.js'
import type {Wait} from '#lib/client/transport/waits.js'
import {openFile} from '#lib/platform/open-file.js'
import {type Identity, identityOf, isSameSource} from '#lib/transfer/journal/entry.js'
import {openScanned, openScannedSync, type Scanned} from '#lib/transfer/local/open-file.js'
import {changed, TransferError} from './errors.js'
import {createRunningMd5} from './md5.js'
import {type ContentSource, type UploadContent} from './types.js'

/**
 * Transfers content and trees, and resumes interrupted transfers. Single requests belong to ../client.
 * This file: opens content to upload as chunks that can be read again.
 */

/**
 * Size of a chunk of a file; a multiple of the unit. Chunks are read while they are sent and the service
 * reports its progress after a failure, so only its pause between chunks matters.
 */
const FILE_CHUNK = 4096 * CHUNK_UNIT
/** Size of a chunk of a stream, held in memory until the service has it; a multiple of the unit. */
const STREAM_CHUNK = 32 * CHUNK_UNIT
const READ_SIZE = 512 * 1024
/**
 * Number of reused read buffers; allocating new ones would keep V8 busy. At most four are in use at
 * once: being read, waiting, in the stream, and in the connection.
 */
const BUFFERS = 8

/** Opens content; `onRead` is called with the offset read for sending. */
export async function openContent(
  source: ContentSource,
  onRead: (at: number) => void = () => undefined,
): Promise<UploadContent> {
  if ('stream' in source) return streamContent(source.stream, onRead, source.wait)
  const path = resolve(source.path)
  const {scanned} = source
  const small = readSmall(path, scanned)
  if (small) return smallContent(small)
  const opened = scanned ? {handle: await openScanned(path, scanned)} : await openFile(path)
  // A named pipe or a device has no size and can be read only once.
  if ('pipe' in opened) return streamContent(opened.pipe, onRead)
  const {handle} = opened
  try {
    const facts = await handle.stat({bigint: true})
    if (!facts.isFile()) return streamContent(handle.createReadStream(), onRead)
    return await fileContent(
      handle,
      identityOf(path, facts, scanned?.root),
      onRead,
      source.chunkSize,
    )
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The content of a file, which must not change while it is read. */
async function fileContent(
  handle: FileHandle,
  identity: Identity,
  onRead: (at: number) => void,
  chunkSize = FILE_CHUNK,
): Promise<UploadContent> {
  const {path, size} = identity
  const md5 = createRunningMd5()

  async function checkUnchanged(): Promise<void> {
    const facts = await handle.stat({bigint: true})
    if (!isSameSource(identityOf(path, facts), identity)) throw changed(path)
  }

  /** The bytes from `start` to `end`. Throws `TransferError` if the file is shorter. */
  async function* read(
    start: number,
    end: number,
    hear: (at: number) => void = () => undefined,
  ): AsyncGenerator<Buffer> {
    let at = start
    for await (const chunk of ahead(handle, start, end)) {
      md5.update(chunk, at)
      at += chunk.length
      // Before the last bytes are sent, since the upload is complete after them.
      if (at === size) await checkUnchanged()
      yield chunk
      hear(at)
    }
    if (at !== end) throw changed(path)
  }

  /** Adds bytes that an earlier run sent to the MD5. */
  async function catchUp(end: number): Promise<void> {
    if (md5.at >= end) return
    for await (const _ of read(md5.at, end));
  }

  return {
    size,
    identity,
    async piece(start) {
      await catchUp(start)
      const end = Math.min(start + chunkSize, size)
      const bytes = () =>
        Readable.from(read(start, end, onRead), {objectMode: false, highWaterMark: READ_SIZE})
      return {start, size: end - start, total: size, bytes}
    },
    md5: () => (md5.at === size ? md5.digest() : undefined),
    async wholeMd5() {
      await catchUp(size)
      return md5.digest()
    },
    close: () => handle.close(),
  }
}

/** The bytes from `start` to `end` or the end of the file, reading one buffer ahead. */
async function* ahead(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  const buffers: Buffer[] = []
  let turn = 0
  const read = async (at: number): Promise<Buffer> => {
    const size = Math.min(READ_SIZE, end - at)
    if (size <= 0) return Buffer.alloc(0)
    const place = turn++ % BUFFERS
    const free = (buffers[place] ??= Buffer.allocUnsafe(READ_SIZE))
    let filled = 0
    // Some file systems return less than requested; small chunks would use too many buffers at once.
    for (let read = -1; read !== 0 && filled < size; filled += read) {
      read = (await handle.read(free, filled, size - filled, at + filled)).bytesRead
    }
    return free.subarray(0, filled)
  }
  let at = start
  let next = read(at)
  // Ignore read errors if the consumer stops early.
  next.catch(() => undefined)
  for (;;) {
    const chunk = await next
    if (chunk.length === 0) return
    at += chunk.length
    next = read(at)
    next.catch(() => undefined)
    yield chunk
  }
}

/** The content of a stream. Keeps only the piece that is being sent. */
function streamContent(stream: Readable, onRead: (at: number) => void, wait?: Wait): UploadContent {
  const md5 = createRunningMd5()
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer | string>
  const kept = Buffer.allocUnsafe(STREAM_CHUNK)
  let start = 0
  let length = 0
  let rest: Buffer = Buffer.alloc(0)
  let hasEnded = false

  const isWhole = () => hasEnded && rest.length === 0

  /** Fills the buffer and reads one chunk further, to know whether the stream has ended. */
  async function fill(): Promise<void> {
    while (!hasEnded && (length < STREAM_CHUNK || rest.length === 0)) {
      if (rest.length === 0) {
        wait?.renew()
        const {done, value} = await chunks.next()
        wait?.pause()
        if (done) hasEnded = true
        else rest = typeof value === 'string' ? Buffer.from(value) : value
      }
      const taken = rest.copy(kept, length, 0, STREAM_CHUNK - length)
      md5.update(rest.subarray(0, taken), start + length)
      length += taken
      rest = rest.subarray(taken)
      if (length === STREAM_CHUNK && rest.length > 0) return
    }
  }

  return {
    async piece(wanted) {
      if (wanted === start + length && (length === STREAM_CHUNK || length === 0)) {
        start = wanted
        length = 0
        await fill()
      }
      if (wanted < start || wanted > start + length) {
        throw new TransferError(
          'failed',
          'The service lost part of the uploaded content, and a stream cannot be read again.',
          'Run the command that produces the content again.',
        )
      }
      const bytes = kept.subarray(wanted - start, length)
      const isLast = isWhole()
      onRead(wanted)
      return {
        start: wanted,
        size: bytes.length,
        total: isLast ? start + length : undefined,
        bytes: () => bytes,
      }
    },
    md5: () => (isWhole() ? md5.digest() : undefined),
    wholeMd5: async () => (isWhole() ? md5.digest() : undefined),
    async close() {
      wait?.end()
      stream.destroy()
    },
  }
}

/** Small files, which are read as a whole and sent from memory. */

/** Maximum size in bytes of a file that is read as a whole. */
const WHOLE = 4 * CHUNK_UNIT

interface Small {
  readonly identity: Identity
  readonly bytes: Buffer
}

/**
 * Reads a small file; `undefined` for other files and if opening fails, since opening it again reports
 * the error. Synchronous, because the thread pool takes longer than reading. Throws `TransferError` if
 * the file changes meanwhile or does not match `scanned`.
 */
export function readSmall(path: string, scanned?: Scanned): Small | undefined {
  const opened = openSmall(path, scanned)
  if (!opened) return undefined
  const {descriptor, facts} = opened
  try {
    const identity = identityOf(path, facts, scanned?.root)
    const bytes = readFileSync(descriptor)
    const now = identityOf(path, fstatSync(descriptor, {bigint: true}))
    if (bytes.length !== identity.size || !isSameSource(now, identity)) throw changed(path)
    return {identity, bytes}
  } finally {
    closeSync(descriptor)
  }
}

function openSmall(path: string, scanned: Scanned | undefined) {
  try {
    return openScannedSync(path, scanned, facts => facts.isFile() && facts.size <= WHOLE)
  } catch (error) {
    if (error instanceof TransferError) throw error
    return undefined
  }
}

/** The content of a small file. */
export function smallContent({identity, bytes}: Small): UploadContent {
  const {size} = identity
  let md5: string | undefined
  const whole = () => (md5 ??= hash('md5', bytes))
  return {
    size,
    identity,
    async piece(start) {
      const rest = bytes.subarray(start)
      return {start, size: rest.length, total: size, bytes: () => rest}
    },
    md5: whole,
    wholeMd5: async () => whole(),
    close: async () => undefined,
  }
}
