import {randomUUID} from 'node:crypto'
import {Readable} from 'node:stream'
import type {UploadFacts, UploadSource} from '#lib/client/client.js'
import {InputError} from '#lib/client/errors.js'
import type {UploadType} from '#lib/client/url.js'
import {isPrintable} from '#lib/platform/sanitize.js'

/** Builds upload requests (reference: protocols.md, section 1). Opening local content belongs to ../../transfer. */

/** Default content type. */
const UNKNOWN_TYPE = 'application/octet-stream'

/** Maximum bytes of content in a single request; larger content uses an upload session. */
export const SESSION_THRESHOLD = 8 * 1024 * 1024

/** The body of a request and the headers that describe it. */
interface Outgoing {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable | Buffer
}

/** The protocol for a single request: multipart with metadata, media without. */
export function chooseUpload(
  metadata: Readonly<Record<string, unknown>> | undefined,
): Exclude<UploadType, 'resumable'> {
  return metadata && Object.keys(metadata).length > 0 ? 'multipart' : 'media'
}

/** Whether content of this size needs a session; content of unknown size does. */
export function needsSession(size: number | undefined): boolean {
  return size === undefined || size > SESSION_THRESHOLD
}

/** The headers and body of an upload. Opens the content, which is read while it is sent. */
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

/** The headers that describe content, of this request or of a session's later ones (reference: protocols.md, section 1). */
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

/** Throws for a line break in a type, which would inject headers. */
function typeOf({mimeType = UNKNOWN_TYPE}: UploadFacts): string {
  if (isPrintable(mimeType)) return mimeType
  throw new InputError('The media type contains invalid characters.')
}

function stream(bytes: AsyncIterable<Uint8Array>): Readable {
  return Readable.from(bytes, {objectMode: false})
}

async function* enclosed(head: Buffer, content: AsyncIterable<Uint8Array>, tail: Buffer) {
  yield head
  yield* content
  yield tail
}

/** The content. Throws if it has more or fewer bytes than announced, which would corrupt the request. */
async function* exactly(content: Readable, size: number | undefined): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const chunk of content as AsyncIterable<Uint8Array>) {
    sent += chunk.length
    if (size !== undefined && sent > size) break
    yield chunk
  }
  if (size === undefined || sent === size) return
  throw new InputError(
    `The content changed while drv was uploading it: it had ${size.toLocaleString('en')} bytes at first, then ${sent < size ? sent.toLocaleString('en') : 'more'}. Try again.`,
  )
}
