import {constants, lstatSync, writeSync} from 'node:fs'
import {type FileHandle, open} from 'node:fs/promises'
import {requireRegularFile, WITHOUT_WAITING} from '#lib/platform/open-file.js'
import {createHasher, type Hasher} from './md5.js'

/** Where downloaded bytes go. */
export interface Sink {
  /** Bytes it has. */
  readonly at: number
  write(chunk: Buffer): Promise<void>
  /** Forgets all it has; `false` where that cannot be. */
  restart(): Promise<boolean>
  /** Puts everything out. */
  flush(): Promise<void>
  /** MD5 in hexadecimal of all it has. */
  md5(): Promise<string>
}

/** A sink over a file, which can be closed. */
export interface PartFile extends Sink {
  /** Waits until all is on the disk for good. */
  sync(): Promise<void>
  /** Sets the modification time, in milliseconds since 1970. */
  touch(modified: number): Promise<void>
  close(): Promise<void>
}

/** So many bytes are hashed at once, while more arrive. */
const BLOCK = 2 * 1024 * 1024
const BLOCKS = 5
/** From so many bytes on, hashing is worth a thread of its own. */
const LARGE = 32 * 1024 * 1024

interface Block {
  readonly bytes: Uint8Array<SharedArrayBuffer>
  /** Settles when the block can be filled again; never rejects. */
  free: Promise<void>
}

/**
 * How the file of a download is opened: `create` only where there is none, `empty` without what is in
 * it, `continue` with what is in it, which is read for the MD5.
 */
export type PartMode = 'create' | 'empty' | 'continue'

/**
 * Opens the file of a download under way. A link of that name is not followed. `size` is what is
 * expected. Throws the system's error: `EEXIST` for a file that should be created, `ELOOP` for a link.
 */
export async function openPart(path: string, mode: PartMode, size = 0): Promise<PartFile> {
  const {O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_TRUNC} = constants
  const how = {create: O_EXCL, empty: O_TRUNC, continue: 0}[mode]
  const flags = O_RDWR | O_CREAT | O_NOFOLLOW | WITHOUT_WAITING | how
  // A named pipe would never come to an end.
  await requireRegularFile(path, true)
  const file = await open(path, flags, 0o666).catch(ofLink(path))
  const hasher = createHasher(size >= LARGE)
  const blocks = Array.from({length: BLOCKS}, (): Block => {
    return {bytes: new Uint8Array(new SharedArrayBuffer(BLOCK)), free: Promise.resolve()}
  })
  let at: number
  try {
    at = await readInto(file, hasher, blocks[0]!)
  } catch (error) {
    hasher.end()
    await file.close()
    throw error
  }
  let current = 0
  let filled = 0
  let failed: {readonly error: unknown} | undefined

  /** Has what the block got hashed, and goes on to the next one once that is free. */
  async function turn(): Promise<void> {
    const block = blocks[current]!
    block.free = hasher.update(block.bytes.subarray(0, filled)).catch((error: unknown) => {
      failed ??= {error}
    })
    current = (current + 1) % BLOCKS
    filled = 0
    await blocks[current]!.free
    if (failed) throw failed.error
  }

  async function flush(): Promise<void> {
    if (filled > 0) await turn()
    await Promise.all(blocks.map(block => block.free))
    if (failed) throw failed.error
  }

  return {
    get at() {
      return at
    },
    async write(chunk) {
      let rest: Uint8Array = chunk
      while (rest.length > 0) {
        const place = blocks[current]!.bytes.subarray(filled, filled + rest.length)
        place.set(rest.subarray(0, place.length))
        put(file, place, at)
        filled += place.length
        at += place.length
        if (filled === BLOCK) await turn()
        rest = rest.subarray(place.length)
      }
    },
    async restart() {
      await flush()
      await file.truncate(0)
      hasher.reset()
      at = 0
      return true
    },
    flush,
    async md5() {
      await flush()
      return hasher.digest()
    },
    sync: () => file.datasync(),
    touch: modified => file.utimes(new Date(), new Date(modified)),
    async close() {
      hasher.end()
      await file.close()
    },
  }
}

/** The system says of a link that it exists where a file should be created. */
const ofLink = (path: string) => (error: NodeJS.ErrnoException) => {
  const isLink =
    error.code === 'EEXIST' && lstatSync(path, {throwIfNoEntry: false})?.isSymbolicLink()
  throw isLink ? Object.assign(error, {code: 'ELOOP'}) : error
}

/**
 * Writes at once, as the bytes come: they are still in the processor's cache, and the system finds
 * place for small pieces sooner. By way of the thread pool, in large ones, it took a fifth longer.
 */
function put({fd}: FileHandle, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done)
  }
}

/** Takes what a file has into the MD5; gives its size. */
async function readInto(file: FileHandle, hasher: Hasher, {bytes}: Block): Promise<number> {
  for (let at = 0; ;) {
    const {bytesRead} = await file.read(bytes, 0, BLOCK, at)
    if (bytesRead === 0) return at
    await hasher.update(bytes.subarray(0, bytesRead))
    at += bytesRead
  }
}
