import {CHUNK_UNIT} from '#lib/api/wire.js'
import {atHeader, failure, FileServiceError} from '#lib/service/errors.js'
import type {ServiceRequest} from '#lib/service/http/message.js'
import {mediaType} from '#lib/service/http/multipart.js'
import {type ContentForm, UPLOAD_PROTOCOLS} from '#lib/service/http/parameters.js'
import type {Progress} from '#lib/service/store/upload-sessions.js'
import {
  contentLength,
  readSize,
  sessionHeaders,
  type UploadAction,
  type UploadProtocol,
} from './upload-protocol.js'

/**
 * The X-Goog-Upload protocol, which client libraries of the public service use in several languages:
 * commands in a header instead of methods and ranges, and 200 instead of 308. It is not part of the
 * specification. This implementation follows the requests and expectations of those libraries.
 */

const PROTOCOL = 'X-Goog-Upload-Protocol'
const COMMAND = 'X-Goog-Upload-Command'
const OFFSET = 'X-Goog-Upload-Offset'
const STATUS = 'X-Goog-Upload-Status'
/** Headers for the size and the media type of the content; clients use either name. */
const SIZES = ['X-Goog-Upload-Header-Content-Length', 'X-Goog-Upload-Raw-Size']
const TYPES = ['x-goog-upload-header-content-type', 'x-goog-upload-content-type']

/** The valid commands of a request. Those that start with `start` begin an upload. */
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

/** The header of the last response of an upload, complete or refused permanently. */
export const FINAL: Readonly<Record<string, string>> = {[STATUS]: 'final'}

/** Whether a request has a header of this protocol. */
export function usesGoogUpload({headers}: ServiceRequest): boolean {
  return [PROTOCOL, COMMAND, OFFSET].some(name => headers[name.toLowerCase()] !== undefined)
}

/** The upload type in the headers; `undefined` without headers of this protocol. Throws 400 for an unknown type. */
export function googUploadForm(request: ServiceRequest): ContentForm | undefined {
  if (!usesGoogUpload(request)) return undefined
  const name = request.headers[PROTOCOL.toLowerCase()]?.trim().toLowerCase() ?? 'resumable'
  if (Object.hasOwn(UPLOAD_PROTOCOLS, name)) return UPLOAD_PROTOCOLS[name]
  throw invalidHeader(PROTOCOL, `it must be one of ${Object.keys(UPLOAD_PROTOCOLS).join(', ')}`)
}

/** The media type of the content in the headers; `undefined` if they have none. */
export function googUploadType({headers}: ServiceRequest): string | undefined {
  return mediaType(TYPES.map(name => headers[name]).find(type => type !== undefined))
}

/** Throws 400 for headers of this protocol on a path that does not accept content. */
export function refuseGoogUpload(request: ServiceRequest): void {
  if (!usesGoogUpload(request)) return
  throw invalidHeader(PROTOCOL, 'it is only valid on paths that start with /upload')
}

/** The protocol for a request with these headers. */
export function googProtocol(request: ServiceRequest): UploadProtocol {
  const {headers} = request

  function commands(): readonly string[] {
    const text = headers[COMMAND.toLowerCase()] ?? ''
    const list = text.split(',').map(command => command.trim().toLowerCase())
    if (COMMANDS.includes(list.join(', '))) return list
    throw invalidHeader(
      COMMAND,
      `it must be one of ${COMMANDS.map(each => `"${each}"`).join(', ')}`,
    )
  }

  function offset(): number {
    const at = readSize(headers, OFFSET)
    if (at !== undefined) return at
    if (commands().includes('start')) return 0
    throw invalidHeader(OFFSET, 'the command "upload" requires this header')
  }

  function readUpload(isLast: boolean, {received, total}: Progress): UploadAction {
    const length = contentLength(request)
    const start = offset()
    const end = length === undefined ? undefined : start + length
    if (start > received) {
      throw invalidHeader(OFFSET, `it is ${start}, but the next byte to send is ${received}`)
    }
    if (end !== undefined && total !== undefined && (isLast ? end !== total : end > total)) {
      throw invalidHeader(
        OFFSET,
        `the content ends at byte ${end}, but its announced size is ${total} bytes`,
      )
    }
    if (end !== undefined && isLast && end < received) {
      throw invalidHeader(
        OFFSET,
        `the content ends at byte ${end}, but ${received} bytes are already stored`,
      )
    }
    if (end !== undefined && !isLast && end !== total && end % CHUNK_UNIT !== 0) {
      const words = `every chunk except the last must end at a multiple of ${CHUNK_UNIT} bytes`
      throw invalidHeader(OFFSET, `${words}, not at ${end}`)
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
      throw invalidHeader(COMMAND, 'the first command must be "start"')
    },
    started(id, address) {
      const url = `${address}?upload_id=${id}&upload_protocol=resumable`
      return active(id, 0, {'X-Goog-Upload-URL': url, 'X-Goog-Upload-Control-URL': url})
    },
    cancels: () => commands().includes('cancel'),
    canceled(id, isWhole) {
      if (isWhole) throw invalidHeader(COMMAND, 'the upload is complete and cannot be canceled')
      return {status: 200, headers: {...sessionHeaders(id), [STATUS]: 'cancelled'}, body: ''}
    },
    step(progress) {
      const list = commands()
      if (list.includes('upload')) return readUpload(list.includes('finalize'), progress)
      const {received, total} = progress
      if (contentLength(request)) throw invalidHeader(COMMAND, 'only "upload" can have a body')
      if (list.includes('query')) return {kind: 'query', concludes: false}
      if (total === undefined || total === received) return {kind: 'query', concludes: true}
      throw invalidHeader(
        COMMAND,
        `the upload is incomplete: ${received} of ${total} bytes are stored`,
      )
    },
    incomplete: (id, received) => active(id, received),
    finished: (response, received) => ({
      ...response,
      headers: {...response.headers, ...FINAL, ...sizeReceived(received)},
    }),
    refused(error, state) {
      const status = state && !state.isWhole ? {[STATUS]: 'active'} : FINAL
      const size = state && sizeReceived(state.received)
      return new FileServiceError(error.status, error.detail, {
        ...error.headers,
        ...status,
        ...size,
      })
    },
  }
}

/** The response of a session that expects more content. */
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

function invalidHeader(header: string, reason: string) {
  return failure(400, 'badRequest', `Invalid ${header}: ${reason}.`, atHeader(header))
}
