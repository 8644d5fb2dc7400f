import {constants} from 'node:fs'
import {type FileHandle, open} from 'node:fs/promises'
import {LEAST, type Room} from '../client/direct.js'
import {createHasher, type Hasher} from './hasher.js'

/** Where downloaded bytes go. */
export interface Sink {
  /** Bytes it has. */
  readonly at: number
  write(chunk: Buffer): Promise<void>
  /** Gives memory that the next chunks may lie in already, until one of them is written that does not. */
  room?(): Room
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
const BLOCK = 2 * 1024 * 1024
const BLOCKS = 5
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
  /** Of the current block: what was passed on, and what it has. */
  let passed = 0
  let filled = 0
  let since = now()
  let failed: {readonly error: unknown} | undefined
  let written: Promise<void> = Promise.resolve()

  /** Has what is new in the block written and hashed. */
  function pass(): void {
    const block = blocks[current]!
    const bytes = block.bytes.subarray(passed, filled)
    const position = at - bytes.length
    // One after the other: the system lets only one write to a file at a time, and others would spin.
    written = written.then(() => put(file, bytes, position))
    block.free = Promise.all([block.free, written, hasher.update(bytes)]).then(
      () => undefined,
      (error: unknown) => {
        failed ??= {error}
      },
    )
    passed = filled
    since = now()
  }

  /** Goes on to the next block once that is free. */
  async function turn(): Promise<void> {
    pass()
    current = (current + 1) % BLOCKS
    passed = 0
    filled = 0
    await blocks[current]!.free
    if (failed) throw failed.error
  }

  async function flush(): Promise<void> {
    if (filled > passed) pass()
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
        const {bytes} = blocks[current]!
        const isThere = taken.buffer === bytes.buffer && taken.byteOffset === filled
        if (!isThere) bytes.set(taken, filled)
        filled += taken.length
        at += taken.length
        if (BLOCK - filled < LEAST) await turn()
        else if (now() - since >= LINGER) pass()
        rest = rest.subarray(taken.length)
      }
    },
    room() {
      let next = current
      let from = filled
      return async () => {
        const {bytes, free} = blocks[next]!
        // The rest of the current block is free, even while its beginning is written.
        if (from === 0) await free
        const room = bytes.subarray(from)
        next = (next + 1) % BLOCKS
        from = 0
        return room
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
