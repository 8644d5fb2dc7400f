import {createHash} from 'node:crypto'
import {
  closeSync,
  createReadStream,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs'
import {access, type FileHandle, open, rename, rm} from 'node:fs/promises'
import {join} from 'node:path'
import type {Readable} from 'node:stream'
import {
  keepNames,
  keepNamesNow,
  unfinishedName,
  writeDurably,
} from '#lib/service/store/database/disk.js'
import {newOpaqueId, type Random} from '#lib/service/store/ids.js'
import {DamagedContent, exactly, isGone, type Stored} from './damage.js'
import {createPieceWriter} from './pieces.js'

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
export type Digests = ReturnType<typeof newDigests>

/**
 * The content files of a data directory. While it is written a file has the name of something
 * unfinished, so that what is left of it can go; then its ID is its name. It counts only once a
 * row of the database names it.
 */
export interface ContentStore {
  /** Takes in a whole body, behind the bytes in `head`, onto the disk. A body that breaks off leaves nothing. */
  receive(body: Readable, head?: Buffer): Promise<Blob>
  /** Makes an empty file on the disk, to be filled through `edit` until `finish` or `giveUp`. Returns its ID. */
  begin(): string
  /** Opens a file for writing at any place. Throws `DamagedContent` for one with fewer bytes, or none. */
  edit(stored: Stored): Promise<FileHandle>
  /** Has a file that is filled, and on the disk, count as whole; once more does no harm. Throws as `edit`. */
  finish(stored: Stored): Promise<void>
  /** Forgets a file that is not filled. One that is whole stays, whatever the database says of it. */
  giveUp(id: string): void
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
}

/** Content that nobody names may still be somebody's upload; after this long (ms) it is litter. */
export const LITTER_AGE = 24 * 3600 * 1000

/** Large enough for few system calls, small enough for many readers at once. */
const READ_SIZE = 256 * 1024

export function newDigests() {
  const [md5, sha1, sha256] = [createHash('md5'), createHash('sha1'), createHash('sha256')]
  return {
    update(bytes: Buffer) {
      for (const hash of [md5, sha1, sha256]) hash.update(bytes)
    },
    /** The checksums of everything so far; nothing can be added after it. */
    finish: () => ({
      md5: md5.digest('hex'),
      sha1: sha1.digest('hex'),
      sha256: sha256.digest('hex'),
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
export function openContentStore(directory: string, random: Random): ContentStore {
  mkdirSync(directory, {recursive: true, mode: 0o700})
  const pathOf = (id: string) => join(directory, id)
  const draftOf = (id: string) => join(directory, unfinishedName(id))
  // The first one again: it may become whole meanwhile.
  const pathsOf = (id: string) => [pathOf(id), draftOf(id), pathOf(id)]

  /** Opens a file that has all its bytes. `short` makes the error for one that turns out to have fewer. */
  function openStored(stored: Stored) {
    for (const path of pathsOf(stored.id)) {
      const fd = openExisting(path)
      if (fd === undefined) continue
      const short = (found: number) => new DamagedContent(stored, path, found)
      const {size} = fstatSync(fd)
      if (size >= stored.size) return {fd, short}
      closeSync(fd)
      throw short(size)
    }
    throw new DamagedContent(stored, pathOf(stored.id), undefined)
  }

  /** Opens a file that is being filled; whole already where what was to follow on its end failed. */
  async function openForWriting(stored: Stored): Promise<FileHandle> {
    for (const path of [draftOf(stored.id), pathOf(stored.id)]) {
      const file = await open(path, 'r+').catch((error: unknown) => {
        if (!isGone(error)) throw error
        return undefined
      })
      if (!file) continue
      const {size} = await file.stat()
      if (size >= stored.size) return file
      await file.close()
      throw new DamagedContent(stored, path, size)
    }
    throw new DamagedContent(stored, draftOf(stored.id), undefined)
  }

  return {
    async receive(body, head) {
      const id = newOpaqueId(random)
      const file = await open(draftOf(id), 'wx', 0o600)
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
        await rename(draftOf(id), pathOf(id))
        await Promise.all([file.sync(), keepNames(directory)])
        await file.close()
        return {id, size, ...digests.finish()}
      } catch (error) {
        await file.close().catch(() => undefined)
        for (const path of [draftOf(id), pathOf(id)]) await rm(path, {force: true})
        throw error
      }
    },

    begin() {
      const id = newOpaqueId(random)
      writeDurably(draftOf(id), Buffer.alloc(0))
      keepNamesNow(directory)
      return id
    },

    edit: openForWriting,

    async finish(stored) {
      const {id} = stored
      try {
        await rename(draftOf(id), pathOf(id))
      } catch (error) {
        if (!isGone(error)) throw error
        // Another process may have been faster.
        await access(pathOf(id)).catch(cause => {
          throw isGone(cause) ? new DamagedContent(stored, pathOf(id), undefined) : cause
        })
      }
      await keepNames(directory)
    },

    giveUp: id => removeFile(draftOf(id)),

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
      writeDurably(draftOf(id), bytes)
      renameSync(draftOf(id), pathOf(id))
      keepNamesNow(directory)
      return {id, size: bytes.length, ...digestsOf(bytes)}
    },

    remove(id) {
      for (const path of [draftOf(id), pathOf(id)]) removeFile(path)
    },
  }
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

function removeFile(path: string): void {
  try {
    rmSync(path, {force: true})
  } catch {
    // Some systems refuse while someone reads it; a later sweep takes it.
  }
}
