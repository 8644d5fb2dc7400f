import {randomUUID} from 'node:crypto'
import {Readable} from 'node:stream'
import {isPrintable} from '../api/text.js'
import type {UploadSource} from './client.js'
import {InputError} from './errors.js'
import type {UploadType} from './url.js'

/** Content on its way up (reference: protocols.md, section 1). */

/** Type of content that nobody named. */
const UNKNOWN_TYPE = 'application/octet-stream'

/** A request's body, with the headers that describe it. */
interface Outgoing {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
}

/**
 * How to send content: with metadata in one request of two parts, or the bare bytes. The one
 * place to choose sessions for content that is large or of unknown size.
 */
export function chooseUpload(metadata: Readonly<Record<string, unknown>> | undefined): UploadType {
  return metadata && Object.keys(metadata).length > 0 ? 'multipart' : 'media'
}

/** The headers and the body for an upload; the content is opened here, and read as it is sent. */
export function outgoing(
  type: UploadType,
  source: UploadSource,
  metadata: Readonly<Record<string, unknown>> = {},
): Outgoing {
  const mimeType = source.mimeType ?? UNKNOWN_TYPE
  // A line break would end the part's header early.
  if (!isPrintable(mimeType)) throw new InputError('The MIME type has characters that no type has.')
  if (type === 'media') {
    return {headers: headers(mimeType, source.size), body: stream(exactly(source))}
  }
  const boundary = `drv-${randomUUID()}`
  const head = Buffer.from(
    [
      `--${boundary}`,
      'Content-Type: application/json; charset=UTF-8',
      '',
      JSON.stringify(metadata),
      `--${boundary}`,
      `Content-Type: ${mimeType}`,
      '',
      '',
    ].join('\r\n'),
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const size = source.size === undefined ? undefined : head.length + source.size + tail.length
  return {
    headers: headers(`multipart/related; boundary=${boundary}`, size),
    body: stream(enclosed(head, exactly(source), tail)),
  }
}

/** The content type of an upload as `prepare` shows it, without opening anything. */
export function uploadHeaders(type: UploadType, source: UploadSource): Record<string, string> {
  return type === 'media'
    ? headers(source.mimeType ?? UNKNOWN_TYPE, source.size)
    : {'content-type': 'multipart/related'}
}

function headers(type: string, size: number | undefined): Record<string, string> {
  return {'content-type': type, ...(size !== undefined && {'content-length': String(size)})}
}

function stream(bytes: AsyncIterable<Uint8Array>): Readable {
  return Readable.from(bytes, {objectMode: false})
}

async function* enclosed(head: Buffer, content: AsyncIterable<Uint8Array>, tail: Buffer) {
  yield head
  yield* content
  yield tail
}

/** The content, never more or less than announced: the connection would carry a broken request. */
async function* exactly({open, size}: UploadSource): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const chunk of open() as AsyncIterable<Uint8Array>) {
    sent += chunk.length
    if (size !== undefined && sent > size) break
    yield chunk
  }
  if (size === undefined || sent === size) return
  throw new InputError(
    `The content changed while it was sent: it had ${size} bytes at first, then ${sent < size ? sent : 'more'}. Try again.`,
  )
}
