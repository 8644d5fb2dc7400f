import {select} from '#lib/api/fields.js'
import {encodeSegment} from '#lib/api/url-paths.js'
import {CONTENT_DAMAGED, JSON_TYPE} from '#lib/api/wire.js'
import type {Obstacle} from '#lib/platform/system-errors.js'
import {type Answer, type Content, isContent} from '#lib/service/call.js'
import {
  atHeader,
  conditionNotMet,
  errorBody,
  failure,
  FileServiceError,
} from '#lib/service/errors.js'
import {DamagedContent, storedOf} from '#lib/service/store/content/damage.js'
import {DiskError, translateError} from '#lib/service/store/database/disk.js'
import type {Store} from '#lib/service/store/index.js'
import {isContentUsed} from '#lib/service/store/upload-sessions.js'
import {namesTag, type ServiceResponse} from './message.js'
import type {OperationRequest} from './perform.js'

/** The parts of a request that determine its response. */
type ResponseOptions = Pick<
  OperationRequest,
  'fields' | 'prettyPrint' | 'callback' | 'method' | 'headers'
>

/**
 * The response for the result of an operation: JSON with the requested fields, content, 204 or 304.
 * Throws 412 if `If-Match` of a GET does not match.
 */
export function answerResponse(
  store: Store,
  answer: Answer,
  options: ResponseOptions,
): ServiceResponse {
  if (answer === undefined) return {status: 204}
  const isGet = options.method === 'GET'
  const tag = typeof answer.etag === 'string' ? answer.etag : undefined
  const match = options.headers['if-match']
  // Records without a tag ignore preconditions.
  const isCompared = isGet && tag !== undefined
  if (isCompared && match !== undefined && !namesTag(match, tag)) throw conditionNotMet('If-Match')
  if (isContent(answer)) return contentResponse(store, answer, options.headers)

  const headers = {
    'Cache-Control': 'private, max-age=0, must-revalidate',
    ...(tag !== undefined && {ETag: tag}),
  }
  const noneMatch = options.headers['if-none-match']
  if (isCompared && noneMatch !== undefined && namesTag(noneMatch, tag)) {
    return {status: 304, headers}
  }
  const record = options.fields ? select(options.fields, answer) : answer
  return asScript(jsonResponse(200, record, headers, options.prettyPrint), options.callback)
}

/**
 * A JSON response as a script that calls `callback` with it (reference: operations.md, parameter
 * `callback`). Returns the response unchanged without a callback.
 */
export function asScript(response: ServiceResponse, callback: string | undefined): ServiceResponse {
  const {headers, body} = response
  if (callback === undefined || typeof body !== 'string') return response
  // In older JavaScript, these two characters end a line even inside a string.
  const json = body.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return {
    ...response,
    headers: {...headers, 'Content-Type': 'text/javascript; charset=UTF-8'},
    // The comment keeps a caller from choosing the first bytes, which could pass for another file format.
    body: `// API callback\n${callback}(${json});`,
  }
}

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
  prettyPrint = true,
): ServiceResponse {
  return {
    status,
    headers: {'Content-Type': JSON_TYPE, ...headers},
    body: JSON.stringify(value, null, prettyPrint ? 1 : undefined),
  }
}

/** The response for a thrown error (reference: protocols.md, section 14). An unexpected error is logged and answered with 500. */
export function failureResponse(error: unknown, log: (error: unknown) => void): ServiceResponse {
  const known = error instanceof FileServiceError ? error : unexpected(error, log)
  return jsonResponse(known.status, errorBody(known), known.headers)
}

const HANG_UPS = [
  'ABORT_ERR',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]

/** Whether the client closed the connection. It cannot receive a response, and there is nothing to log. */
export function isHangUp(error: unknown): boolean {
  return HANG_UPS.includes(String((error as {code?: unknown} | null)?.code))
}

function unexpected(error: unknown, log: (error: unknown) => void): FileServiceError {
  const code = String((error as {code?: unknown} | null)?.code)
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return failure(503, 'backendError', 'Another process is writing. Try again.')
  }
  if (code === 'ENOENT') {
    // Another process removed the file after this one read its row.
    return failure(503, 'backendError', 'The content has just changed. Try again.')
  }
  if (!isHangUp(error)) log(error)
  return failure(500, 'internalError', 'Internal error')
}

/**
 * Status and reason for disk errors. A retry would fail the same way, which the reasons make clear.
 * 507 means that the request could not be stored (RFC 4918, section 11.5). A full disk has the same
 * reason as an exhausted quota (reference: protocols.md, section 14).
 */
const ANSWERS: Readonly<Partial<Record<Obstacle, readonly [status: number, reason: string]>>> = {
  full: [507, 'storageQuotaExceeded'],
  share: [507, 'storageQuotaExceeded'],
  readOnly: [507, 'storageNotWritable'],
  forbidden: [507, 'storageNotWritable'],
  closed: [507, 'storageNotWritable'],
  device: [507, 'storageFailed'],
  damaged: [500, 'databaseDamaged'],
  foreign: [500, 'databaseDamaged'],
}

/**
 * The API error for a disk error, or for content that does not match the database (500
 * `contentDamaged`). Logs both with the path. Returns other errors unchanged, including missing
 * content whose row another process has removed. Call it outside a transaction, which would still
 * see that row.
 */
export function storeFailure(store: Store, error: unknown, log: (error: unknown) => void): unknown {
  if (error instanceof DamagedContent && isContentUsed(store, error.id)) {
    log(error)
    return failure(500, CONTENT_DAMAGED, 'The content is damaged on the disk of the service.')
  }
  const described = translateError(error, store.directory)
  const answer = described instanceof DiskError && ANSWERS[described.obstacle]
  if (!answer) return error
  log(described)
  return failure(...answer, described.message)
}

/**
 * The response for content: all of it (200), a range (206), or not modified (304) (reference:
 * protocols.md, section 3). Throws 416 `requestedRangeNotSatisfiable`.
 */
function contentResponse(
  store: Store,
  {content, mimeType, filename, etag}: Content,
  request: Readonly<Record<string, string | undefined>>,
): ServiceResponse {
  const text = 'text' in content ? Buffer.from(content.text) : undefined
  const size = 'text' in content ? text!.length : content.size
  const shared = {
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, max-age=0, must-revalidate',
    ETag: etag,
  }
  const noneMatch = request['if-none-match']
  if (noneMatch !== undefined && namesTag(noneMatch, etag)) return {status: 304, headers: shared}

  const ifRange = request['if-range']
  const isSame = ifRange === undefined || ifRange.trim() === etag
  const range = requestedRange(isSame ? request.range : undefined, size)
  if (range === 'unsatisfiable') {
    throw failure(
      416,
      'requestedRangeNotSatisfiable',
      'Requested range not satisfiable',
      atHeader('Range'),
      {'Content-Range': `bytes */${size}`},
    )
  }
  const {start, end} = range ?? {start: 0, end: size - 1}
  return {
    status: range ? 206 : 200,
    headers: {
      ...shared,
      'Content-Type': safeType(mimeType),
      'Content-Length': String(end - start + 1),
      'Content-Disposition': contentDisposition(filename),
      ...(range && {'Content-Range': `bytes ${start}-${end}/${size}`}),
    },
    // A file cannot be read with an empty range.
    body:
      'blobId' in content && size > 0
        ? store.content.read(storedOf(content), {start, end})
        : (text?.subarray(start, end + 1) ?? ''),
  }
}

/**
 * The range of bytes, `end` included, that a `Range` header requests of `size` bytes (reference:
 * protocols.md, section 3). `undefined` means everything: the header is missing, malformed, or has
 * several ranges. `unsatisfiable` means that no requested byte exists (416).
 */
function requestedRange(
  header: string | undefined,
  size: number,
): {readonly start: number; readonly end: number} | 'unsatisfiable' | undefined {
  const [, first, last] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined) return undefined
  if (first === '') {
    if (last === '') return undefined
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : {start: size - length, end: size - 1}
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return {start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1)}
}

/**
 * A `Content-Disposition` that makes browsers save the content under this name (RFC 6266): an ASCII
 * form for old clients, and the exact name in UTF-8 if it differs.
 */
function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact =
    plain === filename ? '' : `; filename*=UTF-8''${encodeSegment(wellFormed(filename))}`
  return `attachment; filename="${plain}"${exact}`
}

/** The text without lone surrogates, which UTF-8 cannot encode. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

/** A media type that is safe in a header; `application/octet-stream` for any other. Clients choose the types of files. */
function safeType(mimeType: string): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/.test(mimeType)
    ? mimeType
    : 'application/octet-stream'
}
