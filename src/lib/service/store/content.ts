import {createHash, type Hash} from 'node:crypto'
import {
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs'
import {access, type FileHandle, open, rename, rm} from 'node:fs/promises'
import {join} from 'node:path'
import type {Readable} from 'node:stream'
import {keepNames, keepNamesNow, writeDurably} from './durable.js'
import {newOpaqueId, type Random} from './ids.js'
import {createPieceWriter} from './pieces.js'
import type {UnfinishedNames} from './unfinished.js'

/** Content that lies whole on the disk under its own random ID. */
export interface Blob {
  readonly id: string
  readonly size: number
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
 * The content files of a data directory. While it is written a file has the name of something
 * unfinished, so that what is left of it can go; then its ID is its name. It counts only once a
 * row of the database names it.
 */
export interface ContentStore {
  /**
   * Takes in a whole body, behind the bytes in `head`; when it settles, they are on the disk. A
   * body that breaks off leaves nothing.
   */
  receive(body: Readable, head?: Buffer): Promise<Blob>
  /**
   * Makes an empty file on the disk, to be filled piece by piece through `edit` until `finish` or
   * `giveUp`. Returns its ID.
   */
  begin(): string
  /** Opens a file for writing at any place. Throws `ENOENT` for one that is gone. */
  edit(id: string): Promise<FileHandle>
  /** Has a file that is filled, and on the disk, count as whole; once more does no harm. */
  finish(id: string): Promise<void>
  /** Forgets a file that is not filled. One that is whole stays, whatever the database says of it. */
  giveUp(id: string): void
  /**
   * The bytes of a blob from `start` to `end` inclusive; all by default. What is at hand comes at
   * once, not as a stream. Throws `ENOENT` at once for one that is gone.
   */
  read(id: string, range?: {start: number; end: number}): Readable | Buffer
  /** A blob's bytes at once, for small content; with `limit` no more than that from the start. */
  readAll(id: string, limit?: number): Buffer
  /** Stores bytes at once, for content the service makes itself. */
  put(bytes: Buffer): Blob
  /** Forgets a blob; one that is gone already is no error. */
  remove(id: string): void
}

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
export function openContent(
  directory: string,
  random: Random,
  unfinished: UnfinishedNames,
): ContentStore {
  mkdirSync(directory, {recursive: true, mode: 0o700})
  const pathOf = (id: string) => join(directory, id)
  const draftOf = (id: string) => join(directory, unfinished.nameOf(id))
  // The last one again: it may become whole meanwhile.
  const openFile = (id: string): number =>
    openExisting(pathOf(id)) ?? openExisting(draftOf(id)) ?? openSync(pathOf(id), 'r')

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

    async edit(id) {
      try {
        return await open(draftOf(id), 'r+')
      } catch (error) {
        if (!isMissing(error)) throw error
        // It was begun by a drv that knew no such names, or what was to follow on its end failed.
        return open(pathOf(id), 'r+')
      }
    },

    async finish(id) {
      try {
        await rename(draftOf(id), pathOf(id))
      } catch (error) {
        if (!isMissing(error)) throw error
        // Another process may have been faster.
        await access(pathOf(id))
      }
      await keepNames(directory)
    },

    giveUp: id => removeFile(draftOf(id)),

    read(id, range) {
      return createReadStream('', {fd: openFile(id), ...range, highWaterMark: READ_SIZE})
    },

    readAll(id, limit) {
      const fd = openFile(id)
      try {
        if (limit === undefined) return readFileSync(fd)
        const bytes = Buffer.alloc(limit)
        return bytes.subarray(0, readSync(fd, bytes, 0, limit, 0))
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
    if (isMissing(error)) return undefined
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

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}
