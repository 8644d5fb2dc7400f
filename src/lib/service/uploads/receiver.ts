import type {Readable} from 'node:stream'
import type {OperationContext} from '#lib/service/http/perform.js'
import {type Digests, newDigests} from '#lib/service/store/content/content.js'
import type {ContentFile} from '#lib/service/store/content/content-file.js'
import {createPieceWriter} from '#lib/service/store/content/pieces.js'
import {
  type Progress,
  saveProgress,
  type UploadSession,
} from '#lib/service/store/upload-sessions.js'
import {alignedDown, type UploadAction, wrongCount} from './upload-protocol.js'

type Bytes = Extract<UploadAction, {kind: 'bytes'}>

/** The progress of an upload after a request. */
interface Received extends Progress {
  readonly isWhole: boolean
}

/** Receives the content of resumable uploads, one request per upload at a time. */
export type Receiver = ReturnType<typeof createReceiver>

/** Checksums of the first `at` bytes. */
interface Running {
  readonly digests: Digests
  readonly at: number
}

/** Bytes between checkpoints that record the progress, so that a killed process loses little. */
const CHECKPOINT = 32 * 1024 * 1024

/** Maximum number of uploads whose checksums stay in memory between chunks. For others, they are computed from the file. */
const MAX_RUNNING = 100

export function createReceiver({store}: OperationContext) {
  const running = new Map<string, Running>()
  const busy = new Map<string, {readonly done: Promise<unknown>; stop?(): void}>()

  async function exclusive<T>(id: string, work: () => Promise<T>, stop?: () => void): Promise<T> {
    const result = work()
    const entry = {done: result.catch(() => undefined), stop}
    busy.set(id, entry)
    try {
      return await result
    } finally {
      if (busy.get(id) === entry) busy.delete(id)
    }
  }

  /** Waits until no request of an upload is running. With `stop`, aborts it. */
  async function idle(id: string, stop = false): Promise<void> {
    for (let other = busy.get(id); other; other = busy.get(id)) {
      if (stop) other.stop?.()
      await other.done
    }
  }

  async function digestsOf({id, blobId, received}: UploadSession): Promise<Digests> {
    const saved = running.get(id)
    running.delete(id)
    if (saved?.at === received) return saved.digests
    const digests = newDigests()
    if (received > 0) {
      const stored = store.content.read({id: blobId, size: received})
      for await (const chunk of Buffer.isBuffer(stored) ? [stored] : stored) digests.update(chunk)
    }
    return digests
  }

  function saveDigests(id: string, state: Running): void {
    running.set(id, state)
    const [oldest] = running.keys()
    if (running.size > MAX_RUNNING && oldest !== undefined) running.delete(oldest)
  }

  /** Truncates the file to the received bytes and returns their checksums. */
  async function conclude(session: UploadSession): Promise<Digests> {
    const {blobId, received} = session
    const file = await store.content.edit({id: blobId, size: received})
    try {
      // A killed process may have written more bytes than it recorded.
      if ((await file.stat()).size > received) {
        await file.truncate(received)
        await file.datasync()
      }
    } finally {
      await file.close()
    }
    return digestsOf(session)
  }

  async function receive(session: UploadSession, step: Bytes, body: Readable): Promise<Received> {
    const {id, blobId} = session
    const file = await store.content.edit({id: blobId, size: session.received})
    try {
      const digests = await digestsOf(session)
      const writer = createWriter(file, session.received, digests, received =>
        saveProgress(store, id, {received}),
      )
      try {
        const at = await drain(step, body, writer.write)
        const total = step.isLast ? at : (step.total ?? session.total)
        if (step.isLast) await file.truncate(at)
        await writer.close(writer.position())
        saveProgress(store, id, {received: writer.position(), total})
        saveDigests(id, {digests, at: writer.position()})
        return {received: writer.position(), total, isWhole: step.isLast}
      } catch (error) {
        await writer.close(Math.max(alignedDown(writer.position()), session.received))
        throw error
      }
    } finally {
      await file.close()
    }
  }

  return {
    conclude,
    /**
     * Appends the new bytes of `body` to the stored content. If the body ends early, the bytes so far
     * are kept, rounded down to whole chunk units. Throws 400 if the number of bytes does not match
     * the step.
     */
    receive(session: UploadSession, step: Bytes, body: Readable): Promise<Received> {
      const stop = () => body.destroy()
      return exclusive(session.id, () => receive(session, step, body), stop)
    },
    /** Aborts the running request of this upload and waits for its end. */
    interrupt: (id: string): Promise<void> => idle(id, true),
    /** Runs `work` while no other request uses the upload. */
    async complete<T>(id: string, work: () => Promise<T>): Promise<T> {
      await idle(id)
      return exclusive(id, work)
    },
  }
}

/** Passes the body to `write` and returns the position of its end. Throws 400 if its length does not match the step. */
async function drain(
  {start, end = Infinity, aligned = Infinity}: Bytes,
  body: Readable,
  write: (bytes: Buffer, at: number, aligned: number) => Promise<void>,
): Promise<number> {
  let at = start
  for await (const chunk of body.iterator({destroyOnReturn: false}) as AsyncIterable<Buffer>) {
    if (at + chunk.length > end) throw wrongCount(at + chunk.length - start, start, end)
    await write(chunk, at, aligned)
    at += chunk.length
  }
  if (end !== Infinity && at !== end) throw wrongCount(at - start, start, end)
  return at
}

/** Appends to `stored` bytes, skips bytes that are already stored, and calls `note` at checkpoints with the number of bytes on disk. */
function createWriter(
  file: ContentFile,
  stored: number,
  digests: Digests,
  note: (received: number) => void,
) {
  const pieces = createPieceWriter(file, stored)
  let position = stored
  let lastCheckpoint = stored
  let checkpoint: Promise<void> | undefined
  let failure: Error | undefined

  async function save(count: number): Promise<void> {
    await pieces.flush()
    await file.datasync()
    note(count)
  }

  function startCheckpoint(count: number): void {
    const failed = (error: Error) => (failure = error)
    checkpoint = save(count)
      .catch(failed)
      .then(() => (checkpoint = undefined))
  }

  return {
    position: () => position,
    async write(chunk: Buffer, at: number, aligned: number): Promise<void> {
      if (failure) throw failure
      const newBytes = chunk.subarray(Math.max(0, position - at), Math.max(0, aligned - at))
      if (newBytes.length === 0) return
      const written = pieces.write(newBytes)
      digests.update(newBytes)
      position += newBytes.length
      await written
      if (position - lastCheckpoint >= CHECKPOINT && !checkpoint) {
        lastCheckpoint = alignedDown(position)
        startCheckpoint(lastCheckpoint)
      }
    },
    /** Flushes the first `count` bytes to disk. */
    async close(count: number): Promise<void> {
      await checkpoint
      if (count > stored) await save(count)
    },
  }
}
