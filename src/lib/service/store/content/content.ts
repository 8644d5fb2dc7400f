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
  syncDirectory,
  syncDirectoryNow,
  unfinishedName,
  writeDurably,
} from '#lib/service/store/database/disk.js'
import {newOpaqueId, type Random} from '#lib/service/store/ids.js'
import type {ContentFile} from './content-file.js'
import {DamagedContent, isGone, readExactly, type Stored} from './damage.js'
import {createPieceWriter} from './pieces.js'

/** Complete content with a random ID. */
export interface Blob extends Stored {
  /** Lower-case hex. */
  readonly md5: string
  readonly sha1: string
  readonly sha256: string
  /** The content itself, if it is stored in the database and not in a file. */
  readonly bytes?: Buffer
}

/** The checksums of content that is being received. */
export type Digests = ReturnType<typeof newDigests>

/**
 * The content files of a data directory. While a file is being written, it has the name of an
 * unfinished file, so that leftovers can be deleted. When it is complete, its name is its ID. It is in
 * use only if a row of the database refers to it.
 */
export interface ContentStore {
  /** Stores `head` and the whole body on disk. Deletes the file if the body ends early. */
  receive(body: Readable, head?: Buffer): Promise<Blob>
  /** Creates an empty file on disk, to write with `edit` until `finish` or `discardUnfinished`. Returns its ID. */
  begin(): string
  /** Opens a file for writing at any position. Throws `DamagedContent` if it is missing or too short. */
  edit(stored: Stored): Promise<ContentFile>
  /** Marks a file as complete; its content must be on disk. May be repeated. Throws like `edit`. */
  finish(stored: Stored): Promise<void>
  /** Deletes an incomplete file. Does not delete a complete one. */
  discardUnfinished(id: string): void
  /**
   * The bytes of a blob from `start` to `end` inclusive (default: all), as a stream or, from the
   * database, as a buffer. Throws `DamagedContent` if the content is missing or too short; a stream
   * fails with it if this happens later. Ignores bytes beyond the size of the content, because the
   * bytes before them may be intact.
   */
  read(stored: Stored, range?: {start: number; end: number}): Readable | Buffer
  /** The first `limit` bytes of a blob (default: all), for small content. Throws like `read`. */
  readAll(stored: Stored, limit?: number): Buffer
  /** Stores content that the service creates itself. */
  put(bytes: Buffer): Blob
  /** Deletes a blob, if it exists. */
  remove(id: string): void
}

/** Age in ms after which a content file that the database does not refer to can be cleaned up. A younger one may be an upload. */
export const ORPHAN_AGE = 24 * 3600 * 1000

/** Large enough for few system calls, small enough for many concurrent readers. */
const READ_SIZE = 256 * 1024

export function newDigests() {
  const [md5, sha1, sha256] = [createHash('md5'), createHash('sha1'), createHash('sha256')]
  return {
    update(bytes: Buffer) {
      for (const hash of [md5, sha1, sha256]) hash.update(bytes)
    },
    /** The checksums of all bytes. No bytes can be added afterwards. */
    finish: () => ({
      md5: md5.digest('hex'),
      sha1: sha1.digest('hex'),
      sha256: sha256.digest('hex'),
    }),
  }
}

/** The checksums of these bytes. */
export function digestsOf(bytes: Buffer): ReturnType<Digests['finish']> {
  const digests = newDigests()
  digests.update(bytes)
  return digests.finish()
}

/** Opens the content files in `directory`. Creates the directory with access for its owner only if it is missing. */
export function openContentStore(directory: string, random: Random): ContentStore {
  mkdirSync(directory, {recursive: true, mode: 0o700})
  const pathOf = (id: string) => join(directory, id)
  const draftOf = (id: string) => join(directory, unfinishedName(id))
  // The first path twice: the file may be completed meanwhile.
  const pathsOf = (id: string) => [pathOf(id), draftOf(id), pathOf(id)]

  /** Opens a file for reading and checks its size. `short` returns the error for a file that turns out to be shorter. */
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

  /** Opens an unfinished file, or a complete one if an earlier attempt failed after completing it. */
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
        // Keep the connection open if the body is refused: the response still has to be sent.
        for await (const chunk of body.iterator({
          destroyOnReturn: false,
        }) as AsyncIterable<Buffer>) {
          await take(chunk)
        }
        await writer.flush()
        await rename(draftOf(id), pathOf(id))
        await Promise.all([file.sync(), syncDirectory(directory)])
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
      syncDirectoryNow(directory)
      return id
    },

    edit: openForWriting,

    async finish(stored) {
      const {id} = stored
      try {
        await rename(draftOf(id), pathOf(id))
      } catch (error) {
        if (!isGone(error)) throw error
        // Another process may have completed it.
        await access(pathOf(id)).catch(cause => {
          throw isGone(cause) ? new DamagedContent(stored, pathOf(id), undefined) : cause
        })
      }
      await syncDirectory(directory)
    },

    discardUnfinished: id => removeFile(draftOf(id)),

    read(stored, {start, end} = {start: 0, end: stored.size - 1}) {
      const {fd, short} = openStored(stored)
      if (start > end) {
        closeSync(fd)
        return Buffer.alloc(0)
      }
      const source = createReadStream('', {fd, start, end, highWaterMark: READ_SIZE})
      return readExactly(source, end - start + 1, received => short(start + received))
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
      syncDirectoryNow(directory)
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
    // Some systems refuse while the file is being read. A later cleanup deletes it.
  }
}
