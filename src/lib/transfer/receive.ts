import type {IncomingContent as Answer} from '#lib/client/client.js'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import {printable} from '#lib/platform/sanitize.js'
import {TransferError} from './errors.js'
import type {Sink} from './part-file.js'
import {type Download, type OnProgress, type World} from './types.js'

/** Receives content, resuming after failures at the first missing byte. */

export interface Receiving extends Pick<Download, 'operation' | 'params' | 'md5' | 'size'> {
  readonly world: Pick<World, 'client' | 'signal' | 'throttle'>
  readonly sink: Sink
  /** ETag of the content that the sink has part of. */
  readonly etag?: string
  readonly onProgress?: OnProgress
  /** Called with the facts of each response before its first byte is written. */
  readonly onFacts?: (facts: ContentFacts) => Promise<void>
}

export interface ContentFacts {
  readonly etag?: string
  readonly mimeType?: string
  /** Total size in bytes. */
  readonly size?: number
}

/** Maximum number of consecutive attempts without progress, including the first. */
const ATTEMPTS = 5

/**
 * Fills the sink with all content. Throws `TransferError` and the errors of the client, at the latest
 * after `ATTEMPTS` responses without progress.
 */
export async function receiveContent(receiving: Receiving): Promise<ContentFacts> {
  const {world, operation, params, md5, sink, onProgress, onFacts} = receiving
  const {client, signal, throttle} = world
  let etag = strong(receiving.etag)
  let facts: ContentFacts = {etag}
  // Bytes received again are not progress.
  let furthest = sink.at
  await client.persist(async progressed => {
    // Without an ETag or MD5, two versions of the content could not be told apart.
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
      // The sink has all bytes, or bytes of other content: start again.
      await begin(sink)
      return client.download(operation, {params}, {start: 0})
    }
  }

  /** Aligns sink and response; returns the number of bytes of the response to skip. */
  async function fit(answer: Answer): Promise<number> {
    if (sink.at === (answer.start ?? 0)) return 0
    const isSame = etag !== undefined && strong(answer.etag) === etag
    if (isSame) return sink.at
    await begin(sink)
    return 0
  }
}

/** Throws if the response ended early: even a complete response may not be all content. */
function checkEnd(at: number, size: number | undefined, answer: Answer): void {
  if (size === undefined || at >= size) return
  throw new NetworkError(
    `The service sent only ${at.toLocaleString('en')} of ${size.toLocaleString('en')} bytes${typed(answer)}. Try again. If this persists, check for a proxy that changes responses.`,
    '',
  )
}

/** Throws as soon as the response exceeds the expected size. */
function checkRoom(at: number, size: number | undefined, answer: Answer): void {
  if (size === undefined || at <= size) return
  throw new TransferError(
    'content',
    `The service sent more than the expected ${size.toLocaleString('en')} bytes${typed(answer)}.`,
    'The content may have changed, or a proxy may have replaced the response. Try again.',
  )
}

function typed({mimeType}: Answer): string {
  return mimeType === undefined ? '' : ` (media type ${printable(mimeType, 60)})`
}

async function begin(sink: Sink): Promise<void> {
  if (await sink.restart()) return
  throw new TransferError(
    'content',
    'The content changed during the download, and part of it has already been written.',
    'Try again.',
  )
}

/** A strong ETag; `undefined` for a weak one, which does not identify exact bytes (RFC 9110, section 13.1.5). */
function strong(etag: string | undefined): string | undefined {
  return etag === undefined || etag.startsWith('W/') ? undefined : etag
}
