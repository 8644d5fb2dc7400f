import type {FileHandle} from 'node:fs/promises'
import type {Readable} from 'node:stream'
import type {OperationContext} from '#lib/service/http/perform.js'
import {type Digests, newDigests} from '#lib/service/store/content/content.js'
import {createPieceWriter} from '#lib/service/store/content/pieces.js'
import {
  noteProgress,
  type Progress,
  type UploadSession,
} from '#lib/service/store/upload-sessions.js'
import {alignedDown, type Step, wrongCount} from './upload-protocol.js'

type Bytes = Extract<Step, {kind: 'bytes'}>

/** How far an upload is after a request. */
interface Received extends Progress {
  readonly isWhole: boolean
}

/** Takes in the bytes of resumable uploads, one request for each upload at a time. */
export type Receiver = ReturnType<typeof createReceiver>

/** Checksums of the first `at` bytes. */
interface Running {
  readonly digests: Digests
  readonly at: number
}

/** After so many bytes the count is noted, so that little is lost when the process is killed. */
const CHECKPOINT = 32 * 1024 * 1024

/** Of so many uploads the checksums are carried on from chunk to chunk; those of others are made from the file. */
const CARRIED = 100

export function createReceiver({store}: OperationContext) {
  const running = new Map<string, Running>()
  const busy = new Map<string, {readonly over: Promise<unknown>; stop?(): void}>()

  async function alone<T>(id: string, work: () => Promise<T>, stop?: () => void): Promise<T> {
    const result = work()
    const entry = {over: result.catch(() => undefined), stop}
    busy.set(id, entry)
    try {
      return await result
    } finally {
      if (busy.get(id) === entry) busy.delete(id)
    }
  }

  /** Waits until no request of an upload is under way. */
  async function idle(id: string, stop = false): Promise<void> {
    for (let other = busy.get(id); other; other = busy.get(id)) {
      if (stop) other.stop?.()
      await other.over
    }
  }

  async function digestsOf({id, blobId, received}: UploadSession): Promise<Digests> {
    const carried = running.get(id)
    running.delete(id)
    if (carried?.at === received) return carried.digests
    const digests = newDigests()
    if (received > 0) {
      const stored = store.content.read({id: blobId, size: received})
      for await (const chunk of Buffer.isBuffer(stored) ? [stored] : stored) digests.update(chunk)
    }
    return digests
  }

  function carry(id: string, state: Running): void {
    running.set(id, state)
    const [oldest] = running.keys()
    if (running.size > CARRIED && oldest !== undefined) running.delete(oldest)
  }

  /** Leaves nothing in the file behind the bytes that count, and gives the checksums of those. */
  async function conclude(session: UploadSession): Promise<Digests> {
    const {blobId, received} = session
    const file = await store.content.edit({id: blobId, size: received})
    try {
      // A process that was killed may have written more than it could tell of.
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
        noteProgress(store, id, {received}),
      )
      try {
        const at = await drain(step, body, writer.write)
        const total = step.isLast ? at : (step.total ?? session.total)
        if (step.isLast) await file.truncate(at)
        await writer.close(writer.position())
        noteProgress(store, id, {received: writer.position(), total})
        carry(id, {digests, at: writer.position()})
        return {received: writer.position(), total, isWhole: step.isLast}
      } catch (error) {
        const kept = Math.max(alignedDown(writer.position()), session.received)
        await writer.close(kept)
        throw error
      }
    } finally {
      await file.close()
    }
  }

  return {
    conclude,
    /**
     * Writes what `body` brings behind what is stored. Where it breaks off, what came until then
     * stays, in whole chunk units. Throws 400 for more or fewer bytes than the step says.
     */
    receive(session: UploadSession, step: Bytes, body: Readable): Promise<Received> {
      const stop = () => body.destroy()
      return alone(session.id, () => receive(session, step, body), stop)
    },
    /** Ends the request of this upload that is under way, and waits until it is over. */
    interrupt: (id: string): Promise<void> => idle(id, true),
    /** Does `work` while no other request touches the upload. */
    async complete<T>(id: string, work: () => Promise<T>): Promise<T> {
      await idle(id)
      return alone(id, work)
    },
  }
}

/** Hands the bytes that are news to `write`, and checks their number. Returns where they end. */
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

/** Writes behind `stored` bytes, and every now and then notes how far it is on the disk. */
function createWriter(
  file: FileHandle,
  stored: number,
  digests: Digests,
  note: (received: number) => void,
) {
  const pieces = createPieceWriter(file, stored)
  let position = stored
  let noted = stored
  let checkpoint: Promise<void> | undefined
  let failure: Error | undefined

  async function save(count: number): Promise<void> {
    await pieces.flush()
    await file.datasync()
    note(count)
  }

  function saveAside(count: number): void {
    const failed = (error: Error) => (failure = error)
    checkpoint = save(count)
      .catch(failed)
      .then(() => (checkpoint = undefined))
  }

  return {
    position: () => position,
    async write(chunk: Buffer, at: number, aligned: number): Promise<void> {
      if (failure) throw failure
      const fresh = chunk.subarray(Math.max(0, position - at), Math.max(0, aligned - at))
      if (fresh.length === 0) return
      const written = pieces.write(fresh)
      digests.update(fresh)
      position += fresh.length
      await written
      if (position - noted >= CHECKPOINT && !checkpoint) {
        noted = alignedDown(position)
        saveAside(noted)
      }
    },
    /** Puts the first `count` bytes on the disk for good. */
    async close(count: number): Promise<void> {
      await checkpoint
      if (count > stored) await save(count)
    },
  }
}
