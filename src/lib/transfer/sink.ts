import {constants} from 'node:fs'
import {type FileHandle, open} from 'node:fs/promises'
import {createRunningMd5, type RunningMd5} from './running.js'

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
  md5(): string
}

/** A sink over a file, which can be closed. */
export interface PartFile extends Sink {
  /** Puts all on the disk for good, and sets the modification time (milliseconds since 1970). */
  settle(modified: number | undefined): Promise<void>
  close(): Promise<void>
}

/** So many bytes are written at once, while as many more arrive. */
const BATCH = 1024 * 1024

/**
 * Opens the file of a download under way. `keep` says that what is in it counts; it is then read
 * for the MD5. A link of that name is not followed.
 */
export async function openPart(path: string, keep: boolean): Promise<PartFile> {
  const {O_RDWR, O_CREAT, O_NOFOLLOW = 0, O_TRUNC} = constants
  const flags = O_RDWR | O_CREAT | O_NOFOLLOW | (keep ? 0 : O_TRUNC)
  const file = await open(path, flags, 0o666)
  let md5: RunningMd5
  try {
    md5 = await md5Of(file)
  } catch (error) {
    await file.close()
    throw error
  }
  let at = md5.at
  let waiting: Buffer[] = []
  let size = 0
  let writing: Promise<void> = Promise.resolve()
  let failed: {readonly error: unknown} | undefined

  async function put(chunks: Buffer[], position: number): Promise<void> {
    let rest = chunks
    let start = position
    while (rest.length > 0) {
      const {bytesWritten} = await file.writev(rest, start)
      start += bytesWritten
      rest = behind(rest, bytesWritten)
    }
  }

  /** Hands the batch over once the one before it is out. */
  async function pass(): Promise<void> {
    await writing
    if (failed) throw failed.error
    const [chunks, position] = [waiting, at - size]
    waiting = []
    size = 0
    writing = put(chunks, position).catch((error: unknown) => {
      failed = {error}
    })
  }

  async function flush(): Promise<void> {
    await pass()
    await writing
    if (failed) throw failed.error
  }

  return {
    get at() {
      return at
    },
    async write(chunk) {
      md5.update(chunk, at)
      waiting.push(chunk)
      at += chunk.length
      size += chunk.length
      if (size >= BATCH) await pass()
    },
    async restart() {
      await flush()
      await file.truncate(0)
      at = 0
      md5 = createRunningMd5()
      return true
    },
    flush,
    md5: () => md5.digest(),
    async settle(modified) {
      if (modified !== undefined) await file.utimes(new Date(), new Date(modified))
      await file.datasync()
    },
    close: () => file.close(),
  }
}

async function md5Of(file: FileHandle): Promise<RunningMd5> {
  const md5 = createRunningMd5()
  const stream = file.createReadStream({start: 0, autoClose: false, highWaterMark: BATCH})
  for await (const chunk of stream as AsyncIterable<Buffer>) md5.update(chunk, md5.at)
  return md5
}

/** What is left of some buffers behind so many bytes. */
function behind(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let gone = bytes
  return chunks.flatMap(chunk => {
    const skipped = Math.min(gone, chunk.length)
    gone -= skipped
    return skipped === chunk.length ? [] : [chunk.subarray(skipped)]
  })
}
