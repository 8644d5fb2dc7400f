import {CHUNK_UNIT} from '#lib/api/wire.js'
import {ApiError, atHeader, failure} from '#lib/service/errors.js'
import type {ServiceRequest} from '#lib/service/http/message.js'
import {mediaType} from '#lib/service/http/multipart.js'
import {type ContentForm, UPLOAD_PROTOCOLS} from '#lib/service/http/parameters.js'
import type {Progress} from '#lib/service/store/upload-sessions.js'
import {
  contentLength,
  readSize,
  sessionHeaders,
  type Step,
  type UploadProtocol,
} from './upload-protocol.js'

/**
 * The X-Goog-Upload protocol, in which the public service's client libraries of several languages
 * upload: commands in a header in place of methods and ranges, 200 in place of 308. The
 * specification is silent on it; what is said here follows what those libraries send and expect.
 */

const PROTOCOL = 'X-Goog-Upload-Protocol'
const COMMAND = 'X-Goog-Upload-Command'
const OFFSET = 'X-Goog-Upload-Offset'
const STATUS = 'X-Goog-Upload-Status'
/** The size and the type of the content, under the names that clients have for them. */
const SIZES = ['X-Goog-Upload-Header-Content-Length', 'X-Goog-Upload-Raw-Size']
const TYPES = ['x-goog-upload-header-content-type', 'x-goog-upload-content-type']

/** What one request may ask for; all that begin an upload start with `start`. */
const COMMANDS = [
  'start',
  'start, upload',
  'start, upload, finalize',
  'upload',
  'upload, finalize',
  'finalize',
  'query',
  'cancel',
]

/** The header says that an upload is over, with its answer: whole, or refused for good. */
export const FINAL: Readonly<Record<string, string>> = {[STATUS]: 'final'}

/** Whether a request has a header of this protocol that says what it wants. */
export function speaksGoogUpload({headers}: ServiceRequest): boolean {
  return [PROTOCOL, COMMAND, OFFSET].some(name => headers[name.toLowerCase()] !== undefined)
}

/** How the content comes according to the headers; `undefined` where they do not say. Throws 400. */
export function googUploadForm(request: ServiceRequest): ContentForm | undefined {
  if (!speaksGoogUpload(request)) return undefined
  const name = request.headers[PROTOCOL.toLowerCase()]?.trim().toLowerCase() ?? 'resumable'
  if (Object.hasOwn(UPLOAD_PROTOCOLS, name)) return UPLOAD_PROTOCOLS[name]
  throw wrong(PROTOCOL, `it must be one of ${Object.keys(UPLOAD_PROTOCOLS).join(', ')}`)
}

/** The media type that the headers give for the content. */
export function googUploadType({headers}: ServiceRequest): string | undefined {
  return mediaType(TYPES.map(name => headers[name]).find(type => type !== undefined))
}

/** Throws 400 for these headers on a path that takes no content. */
export function refuseGoogUpload(request: ServiceRequest): void {
  if (!speaksGoogUpload(request)) return
  throw wrong(PROTOCOL, 'uploads work on paths that start with /upload only')
}

export function googProtocol(request: ServiceRequest): UploadProtocol {
  const {headers} = request

  function commands(): readonly string[] {
    const text = headers[COMMAND.toLowerCase()] ?? ''
    const list = text.split(',').map(command => command.trim().toLowerCase())
    if (COMMANDS.includes(list.join(', '))) return list
    throw wrong(COMMAND, `it must be one of ${COMMANDS.map(each => `"${each}"`).join(', ')}`)
  }

  function offset(): number {
    const at = readSize(headers, OFFSET)
    if (at !== undefined) return at
    if (commands().includes('start')) return 0
    throw wrong(OFFSET, 'an upload needs the number of bytes before it')
  }

  function readUpload(isLast: boolean, {received, total}: Progress): Step {
    const length = contentLength(request)
    const start = offset()
    const end = length === undefined ? undefined : start + length
    if (start > received) {
      throw wrong(OFFSET, `the next byte to send is ${received}, not ${start}`)
    }
    if (end !== undefined && total !== undefined && (isLast ? end !== total : end > total)) {
      throw wrong(OFFSET, `the content was announced with ${total} bytes, and this ends at ${end}`)
    }
    if (end !== undefined && isLast && end < received) {
      throw wrong(OFFSET, `${received} bytes are stored already, and this ends at ${end}`)
    }
    if (end !== undefined && !isLast && end !== total && end % CHUNK_UNIT !== 0) {
      const words = `a chunk that is not the last must end at a multiple of ${CHUNK_UNIT} bytes`
      throw wrong(OFFSET, `${words}, not at ${end}`)
    }
    return {kind: 'bytes', start, end: end ?? (isLast ? total : undefined), isLast}
  }

  return {
    announced: () => ({
      size: SIZES.map(name => readSize(headers, name)).find(size => size !== undefined),
      mimeType:
        googUploadType(request) ??
        (commands().includes('upload') ? mediaType(headers['content-type']) : undefined),
    }),
    startsWithContent() {
      const [first, second] = commands()
      if (first === 'start') return second === 'upload'
      throw wrong(COMMAND, 'an upload begins with "start"')
    },
    started(id, address) {
      const url = `${address}?upload_id=${id}&upload_protocol=resumable`
      return active(id, 0, {'X-Goog-Upload-URL': url, 'X-Goog-Upload-Control-URL': url})
    },
    cancels: () => commands().includes('cancel'),
    canceled(id, isWhole) {
      if (isWhole) throw wrong(COMMAND, 'the upload is whole, and cannot be canceled')
      return {status: 200, headers: {...sessionHeaders(id), [STATUS]: 'cancelled'}, body: ''}
    },
    step(progress) {
      const list = commands()
      if (list.includes('upload')) return readUpload(list.includes('finalize'), progress)
      const {received, total} = progress
      if (contentLength(request)) throw wrong(COMMAND, 'only "upload" has a body')
      if (list.includes('query')) return {kind: 'query', concludes: false}
      if (total === undefined || total === received) return {kind: 'query', concludes: true}
      throw wrong(COMMAND, `${received} of ${total} bytes are stored, so this is not the end`)
    },
    incomplete: (id, received) => active(id, received),
    finished: (response, received) => ({
      ...response,
      headers: {...response.headers, ...FINAL, ...sizeReceived(received)},
    }),
    refused(error, state) {
      const status = state && !state.isWhole ? {[STATUS]: 'active'} : FINAL
      const size = state && sizeReceived(state.received)
      return new ApiError(error.status, error.detail, {...error.headers, ...status, ...size})
    },
  }
}

/** The response of a session that waits for more. */
function active(id: string, received: number, more: Readonly<Record<string, string>> = {}) {
  return {
    status: 200,
    headers: {
      ...sessionHeaders(id),
      [STATUS]: 'active',
      'X-Goog-Upload-Chunk-Granularity': String(CHUNK_UNIT),
      ...sizeReceived(received),
      ...more,
    },
    body: '',
  }
}

function sizeReceived(received: number): Record<string, string> {
  return {'X-Goog-Upload-Size-Received': String(received)}
}

function wrong(header: string, what: string) {
  return failure(400, 'badRequest', `Invalid ${header}: ${what}.`, atHeader(header))
}
