import {constants} from 'node:fs'
import {type FileHandle, open} from 'node:fs/promises'
import {createHasher, type Hasher} from './hasher.js'

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

/** So many bytes are written and hashed at once, while more arrive: the system has less work with large pieces. */
const BLOCK = 4 * 1024 * 1024
const BLOCKS = 3
/** What has waited for so many milliseconds goes out with what comes next, before the block is full. */
const LINGER = 500
/** From so many bytes on, hashing gets a thread of its own. */
const THREAD_FROM = 32 * 1024 * 1024

interface Block {
  readonly bytes: Uint8Array<SharedArrayBuffer>
  /** Settles when the block can be filled again; never rejects. */
  free: Promise<void>
}

/**
 * Opens the file of a download under way. `keep` says that what is in it counts; it is then read
 * for the MD5. A link of that name is not followed. `size` is what is expected; `now` is in ms.
 */
export async function openPart(
  path: string,
  keep: boolean,
  size = 0,
  now = () => performance.now(),
): Promise<PartFile> {
  const {O_RDWR, O_CREAT, O_NOFOLLOW = 0, O_TRUNC} = constants
  const flags = O_RDWR | O_CREAT | O_NOFOLLOW | (keep ? 0 : O_TRUNC)
  const file = await open(path, flags, 0o666)
  const hasher = createHasher(size >= THREAD_FROM)
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
  let since = now()
  let failed: {readonly error: unknown} | undefined

  /** Has the block written and hashed, and goes on to the next one once that is free. */
  async function pass(): Promise<void> {
    const block = blocks[current]!
    const bytes = block.bytes.subarray(0, filled)
    block.free = Promise.all([put(file, bytes, at - filled), hasher.update(bytes)]).then(
      () => undefined,
      (error: unknown) => {
        failed ??= {error}
      },
    )
    filled = 0
    since = now()
    current = (current + 1) % BLOCKS
    await blocks[current]!.free
    if (failed) throw failed.error
  }

  async function flush(): Promise<void> {
    if (filled > 0) await pass()
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
        const taken = rest.subarray(0, BLOCK - filled)
        blocks[current]!.bytes.set(taken, filled)
        filled += taken.length
        at += taken.length
        if (filled === BLOCK || now() - since >= LINGER) await pass()
        rest = rest.subarray(taken.length)
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
      // What came is worth keeping, and nothing may still be written when somebody else takes over.
      await flush().catch(() => undefined)
      hasher.end()
      await file.close()
    },
  }
}

async function put(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const {bytesWritten} = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
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
