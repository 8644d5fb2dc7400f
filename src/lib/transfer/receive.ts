import type {IncomingContent as Answer} from '#lib/client/client.js'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import {printable} from '#lib/platform/sanitize.js'
import {TransferError} from './errors.js'
import type {Sink} from './part-file.js'
import {type Download, type OnProgress, type World} from './types.js'

/** Content on its way down, going on after faults from the byte that is missing. */

export interface Receiving extends Pick<Download, 'operation' | 'params' | 'md5' | 'size'> {
  readonly world: Pick<World, 'client' | 'signal' | 'throttle'>
  readonly sink: Sink
  /** The tag of the content that the sink has a part of. */
  readonly etag?: string
  readonly onProgress?: OnProgress
  /** Hears what an answer says of the content, before the first byte of it counts. */
  readonly onFacts?: (facts: Facts) => Promise<void>
}

export interface Facts {
  readonly etag?: string
  readonly mimeType?: string
  /** Bytes of the whole. */
  readonly size?: number
}

/** Attempts that bring nothing new, the first one included, after which there are no more. */
const ATTEMPTS = 5

/**
 * Fills the sink with the whole content. Fails with `TransferError` and the errors of the client;
 * at the latest after `ATTEMPTS` answers that do not get any further, whatever these are.
 */
export async function receiveContent(receiving: Receiving): Promise<Facts> {
  const {world, operation, params, md5, sink, onProgress, onFacts} = receiving
  const {client, signal, throttle} = world
  let etag = strong(receiving.etag)
  let facts: Facts = {etag}
  // What comes once more is nothing new.
  let furthest = sink.at
  await client.persist(async progressed => {
    // Without a tag only the MD5 at the end could tell two contents apart.
    if (sink.at > 0 && etag === undefined && md5 === undefined) await begin(sink)
    const answer = await ask(sink.at)
    try {
      const skipped = await fit(answer)
      const start = answer.start ?? 0
      const size = answer.size === undefined ? undefined : start + answer.size
      etag = strong(answer.etag)
      facts = {etag, size, mimeType: answer.mimeType}
      await onFacts?.(facts)
      let toSkip = skipped
      for await (const chunk of answer.stream) {
        await throttle?.take(chunk.length, signal)
        const news = toSkip > 0 ? chunk.subarray(toSkip) : chunk
        toSkip = Math.max(0, toSkip - chunk.length)
        if (news.length === 0) continue
        checkRoom(sink.at + news.length, receiving.size, answer)
        await sink.write(news)
        if (sink.at > furthest) {
          furthest = sink.at
          progressed()
        }
        onProgress?.(sink.at, size)
      }
      checkEnd(sink.at, receiving.size, answer)
    } finally {
      answer.cancel()
    }
  }, ATTEMPTS)
  await sink.flush()
  return facts

  async function ask(start: number): Promise<Answer> {
    try {
      return await client.download(operation, {params}, {start, etag})
    } catch (error) {
      if (start === 0 || !(error instanceof ServiceError) || error.status !== 416) throw error
      // There is nothing behind what the sink has: it has all of it, or of something else.
      await begin(sink)
      return client.download(operation, {params}, {start: 0})
    }
  }

  /** Makes sink and answer meet; gives the bytes of the answer that the sink has already. */
  async function fit(answer: Answer): Promise<number> {
    if (sink.at === (answer.start ?? 0)) return 0
    const isSame = etag !== undefined && strong(answer.etag) === etag
    if (isSame) return sink.at
    await begin(sink)
    return 0
  }
}

/** An answer that is complete in itself may still be only the beginning, or something else. */
function checkEnd(at: number, size: number | undefined, answer: Answer): void {
  if (size === undefined || at >= size) return
  throw new NetworkError(
    `The service sent ${at} of ${size} bytes${typed(answer)} and said it was all. Try again; if it stays so, see what stands between you and the service.`,
    '',
  )
}

/** What is longer than the content is something else, which need not come to its end. */
function checkRoom(at: number, size: number | undefined, answer: Answer): void {
  if (size === undefined || at <= size) return
  throw new TransferError(
    'content',
    `More came than the ${size} bytes of the content${typed(answer).replace(/,$/, '')}.`,
    'It may have changed meanwhile, or something between you and the service answers in its place: try again.',
  )
}

function typed({mimeType}: Answer): string {
  return mimeType === undefined ? '' : `, of the type ${printable(mimeType, 60)},`
}

async function begin(sink: Sink): Promise<void> {
  if (await sink.restart()) return
  throw new TransferError(
    'content',
    'The content changed while it was read, and the first part is already written.',
    'Try again.',
  )
}

/** A tag that stands for every byte; a weak one does not (RFC 9110, section 13.1.5). */
function strong(etag: string | undefined): string | undefined {
  return etag === undefined || etag.startsWith('W/') ? undefined : etag
}
