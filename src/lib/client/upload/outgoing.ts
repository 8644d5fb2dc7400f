import {randomUUID} from 'node:crypto'
import {Readable} from 'node:stream'
import type {UploadFacts, UploadSource} from '#lib/client/client.js'
import {InputError} from '#lib/client/errors.js'
import type {UploadType} from '#lib/client/url.js'
import {isPrintable} from '#lib/platform/sanitize.js'

/** Requests that take content to the service (reference: protocols.md, section 1). Where it comes from belongs to ../../transfer. */

/** Type of content that nobody named. */
const UNKNOWN_TYPE = 'application/octet-stream'

/** Up to so many bytes content goes up in one request; more takes a session. */
export const SESSION_THRESHOLD = 8 * 1024 * 1024

/** A request's body, with the headers that describe it. */
interface Outgoing {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable | Buffer
}

/** How to send content in one request: with metadata in two parts, or the bare bytes. */
export function chooseUpload(
  metadata: Readonly<Record<string, unknown>> | undefined,
): Exclude<UploadType, 'resumable'> {
  return metadata && Object.keys(metadata).length > 0 ? 'multipart' : 'media'
}

/** Whether content of this size goes up in a session; more may come of an unknown one. */
export function needsSession(size: number | undefined): boolean {
  return size === undefined || size > SESSION_THRESHOLD
}

/** The headers and the body for an upload; the content is opened here, and read as it is sent. */
export function openUpload(
  type: Exclude<UploadType, 'resumable'>,
  source: UploadSource,
  metadata: Readonly<Record<string, unknown>> = {},
): Outgoing {
  const headers = uploadHeaders(type, source)
  const content = source.open()
  if (type === 'media') {
    const body = Buffer.isBuffer(content) ? content : stream(exactly(content, source.size))
    return {headers, body}
  }
  const boundary = `drv-${randomUUID()}`
  const head = Buffer.from(
    [
      `--${boundary}`,
      'Content-Type: application/json; charset=UTF-8',
      '',
      JSON.stringify(metadata),
      `--${boundary}`,
      `Content-Type: ${typeOf(source)}`,
      '',
      '',
    ].join('\r\n'),
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const size = source.size === undefined ? undefined : head.length + source.size + tail.length
  return {
    headers: {
      ...lengthHeader('content-length', size),
      'content-type': `${headers['content-type']}; boundary=${boundary}`,
    },
    body: Buffer.isBuffer(content)
      ? Buffer.concat([head, content, tail])
      : stream(enclosed(head, exactly(content, source.size), tail)),
  }
}

/** The headers that describe content before it is opened; for a session that to come (reference: protocols.md, section 1). */
export function uploadHeaders(type: UploadType, source: UploadFacts): Record<string, string> {
  const mimeType = typeOf(source)
  if (type === 'multipart') return {'content-type': 'multipart/related'}
  const prefix = type === 'media' ? '' : 'x-upload-'
  return {
    [`${prefix}content-type`]: mimeType,
    ...lengthHeader(`${prefix}content-length`, source.size),
  }
}

function lengthHeader(name: string, size: number | undefined): Record<string, string> {
  return size === undefined ? {} : {[name]: String(size)}
}

/** A line break in a type would end the header it stands in early. */
function typeOf({mimeType = UNKNOWN_TYPE}: UploadFacts): string {
  if (isPrintable(mimeType)) return mimeType
  throw new InputError('The MIME type has characters that no type has.')
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
async function* exactly(content: Readable, size: number | undefined): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    sent += chunk.length
    if (size !== undefined && sent > size) break
    yield chunk
  }
  if (size === undefined || sent === size) return
  throw new InputError(
    `The content changed while it was sent: it had ${size} bytes at first, then ${sent < size ? sent : 'more'}. Try again.`,
  )
}
