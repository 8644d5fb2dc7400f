import {createHash, type Hash} from 'node:crypto'
import {
  closeSync,
  createReadStream,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import {type FileHandle, open, readdir, rm, stat} from 'node:fs/promises'
import {join} from 'node:path'
import type {Readable} from 'node:stream'
import {DamagedContent, exactly, type Stored} from './damage.js'
import {newOpaqueId, type Random} from './ids.js'
import {createPieceWriter} from './pieces.js'
import {isGone} from './trouble.js'

/** Content that lies whole on the disk under its own random ID. */
export interface Blob extends Stored {
  /** Lower-case hex. */
  readonly md5: string
  readonly sha1: string
  readonly sha256: string
  /** The content itself, where it is to lie in the database and not in a file. */
  readonly bytes?: Buffer
}

/** The checksums of content that is still coming in. */
export interface Digests {
  update(bytes: Buffer): void
  /** The checksums of everything so far; nothing can be added after it. */
  finish(): Pick<Blob, 'md5' | 'sha1' | 'sha256'>
}

/**
 * The content files of a data directory. A file counts only once a row of the database names it,
 * and its ID is random: so it is written under its final name, and one without a row is litter.
 */
export interface ContentStore {
  /**
   * Takes in a whole body, behind the bytes in `head`; when it settles, they are on the disk. A
   * body that breaks off leaves nothing.
   */
  receive(body: Readable, head?: Buffer): Promise<Blob>
  /** Makes an empty file on the disk, to be filled piece by piece through `edit`. Returns its ID. */
  begin(): string
  /** Opens a file for writing at any place. Throws `DamagedContent` for one with fewer bytes, or none. */
  edit(stored: Stored): Promise<FileHandle>
  /**
   * The bytes of a blob from `start` to `end` inclusive; all by default. What is at hand comes at
   * once, not as a stream. Throws `DamagedContent` at once for one that has fewer bytes than it
   * should, or is gone; a stream ends with it when that happens later. What a file has beyond its
   * size is never read: the bytes before it may be sound.
   */
  read(stored: Stored, range?: {start: number; end: number}): Readable | Buffer
  /** A blob's bytes at once, for small content; with `limit` no more than that from the start. Throws as `read`. */
  readAll(stored: Stored, limit?: number): Buffer
  /** Stores bytes at once, for content the service makes itself. */
  put(bytes: Buffer): Blob
  /** Forgets a blob; one that is gone already is no error. */
  remove(id: string): void
  /** Removes the files last written before `before` (Unix ms of the system's clock) that nobody uses. */
  sweep(before: number, isUsed: (id: string) => boolean): Promise<void>
}

/** Content that nobody names may still be somebody's upload; after this long (ms) it is litter. */
export const LITTER_AGE = 24 * 3600 * 1000

/** Large enough for few system calls, small enough for many readers at once. */
const READ_SIZE = 256 * 1024

export function newDigests(): Digests {
  const hashes: Record<'md5' | 'sha1' | 'sha256', Hash> = {
    md5: createHash('md5'),
    sha1: createHash('sha1'),
    sha256: createHash('sha256'),
  }
  return {
    update(bytes) {
      hashes.md5.update(bytes)
      hashes.sha1.update(bytes)
      hashes.sha256.update(bytes)
    },
    finish: () => ({
      md5: hashes.md5.digest('hex'),
      sha1: hashes.sha1.digest('hex'),
      sha256: hashes.sha256.digest('hex'),
    }),
  }
}

/** The checksums of bytes that are all there. */
export function digestsOf(bytes: Buffer): ReturnType<Digests['finish']> {
  const digests = newDigests()
  digests.update(bytes)
  return digests.finish()
}

/** Opens the content files in `directory`, which is made, for its owner only, where it is missing. */
export function openContent(directory: string, random: Random): ContentStore {
  mkdirSync(directory, {recursive: true, mode: 0o700})
  const pathOf = (id: string) => join(directory, id)

  /** Opens a file that has all its bytes. `short` makes the error for one that turns out to have fewer. */
  function openStored(stored: Stored) {
    const path = pathOf(stored.id)
    const short = (found: number | undefined) => new DamagedContent(stored, path, found)
    let fd: number
    try {
      fd = openSync(path, 'r')
    } catch (error) {
      throw isGone(error) ? short(undefined) : error
    }
    const {size} = fstatSync(fd)
    if (size >= stored.size) return {fd, short}
    closeSync(fd)
    throw short(size)
  }

  return {
    async receive(body, head) {
      const id = newOpaqueId(random)
      const file = await open(pathOf(id), 'wx', 0o600)
      try {
        const digests = newDigests()
        const writer = createPieceWriter(file, 0)
        let size = 0
        const take = async (chunk: Buffer) => {
          const room = writer.write(chunk)
          digests.update(chunk)
          size += chunk.length
          await room
        }
        if (head) await take(head)
        // Whoever reads the request must still be able to answer when the body is refused.
        for await (const chunk of body.iterator({
          destroyOnReturn: false,
        }) as AsyncIterable<Buffer>) {
          await take(chunk)
        }
        await writer.flush()
        await Promise.all([file.sync(), keepNames(directory)])
        await file.close()
        return {id, size, ...digests.finish()}
      } catch (error) {
        await file.close().catch(() => undefined)
        await rm(pathOf(id), {force: true})
        throw error
      }
    },

    begin() {
      const id = newOpaqueId(random)
      writeDurably(pathOf(id), Buffer.alloc(0))
      syncDirectory(directory)
      return id
    },

    async edit(stored) {
      const path = pathOf(stored.id)
      const file = await open(path, 'r+').catch(error => {
        throw isGone(error) ? new DamagedContent(stored, path, undefined) : error
      })
      const {size} = await file.stat()
      if (size >= stored.size) return file
      await file.close()
      throw new DamagedContent(stored, path, size)
    },

    read(stored, {start, end} = {start: 0, end: stored.size - 1}) {
      const {fd, short} = openStored(stored)
      if (start > end) {
        closeSync(fd)
        return Buffer.alloc(0)
      }
      const source = createReadStream('', {fd, start, end, highWaterMark: READ_SIZE})
      return exactly(source, end - start + 1, came => short(start + came))
    },

    readAll(stored, limit = stored.size) {
      const {fd, short} = openStored(stored)
      try {
        const bytes = Buffer.alloc(Math.min(limit, stored.size))
        for (let at = 0; at < bytes.length;) {
          const count = readSync(fd, bytes, at, bytes.length - at, at)
          if (count === 0) throw short(at)
          at += count
        }
        return bytes
      } finally {
        closeSync(fd)
      }
    },

    put(bytes) {
      const id = newOpaqueId(random)
      writeDurably(pathOf(id), bytes)
      syncDirectory(directory)
      return {id, size: bytes.length, ...digestsOf(bytes)}
    },

    remove(id) {
      try {
        rmSync(pathOf(id), {force: true})
      } catch {
        // Some systems refuse while someone reads it; a later sweep takes it.
      }
    },

    async sweep(before, isUsed) {
      for (const id of await readdir(directory)) {
        const facts = await stat(pathOf(id)).catch(() => undefined)
        if (facts?.isFile() && facts.mtimeMs < before && !isUsed(id)) {
          await rm(pathOf(id), {force: true}).catch(() => undefined)
        }
      }
    },
  }
}

function writeDurably(path: string, bytes: Buffer): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    for (let written = 0; written < bytes.length;) {
      written += writeSync(fd, bytes, written, bytes.length - written, written)
    }
    fsyncSync(fd)
  } catch (error) {
    rmSync(path, {force: true})
    throw error
  } finally {
    closeSync(fd)
  }
}

/** Puts the names in a directory on the disk. Windows knows no such thing, and needs none. */
async function keepNames(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
