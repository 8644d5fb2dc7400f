import {select} from '#lib/api/fields.js'
import {encodeSegment} from '#lib/api/url-paths.js'
import {CONTENT_DAMAGED, JSON_TYPE} from '#lib/api/wire.js'
import type {Obstacle} from '#lib/platform/system-errors.js'
import {type Answer, type Content, isContent} from '#lib/service/call.js'
import {ApiError, atHeader, conditionNotMet, errorBody, failure} from '#lib/service/errors.js'
import {DamagedContent, storedOf} from '#lib/service/store/content/damage.js'
import {DiskError, inWords} from '#lib/service/store/database/disk.js'
import type {Store} from '#lib/service/store/index.js'
import {isContentUsed} from '#lib/service/store/upload-sessions.js'
import {namesTag, type ServiceResponse} from './message.js'
import type {OperationRequest} from './perform.js'

/** What an answer must know of its request. */
type Wish = Pick<OperationRequest, 'fields' | 'prettyPrint' | 'callback' | 'method' | 'headers'>

/** An operation's answer as a response: JSON with the fields asked for, bytes, 204, or 304. */
export function answerResponse(store: Store, answer: Answer, wish: Wish): ServiceResponse {
  if (answer === undefined) return {status: 204}
  const isGet = wish.method === 'GET'
  const tag = typeof answer.etag === 'string' ? answer.etag : undefined
  const match = wish.headers['if-match']
  // A record without a tag is not compared.
  const isCompared = isGet && tag !== undefined
  if (isCompared && match !== undefined && !namesTag(match, tag)) throw conditionNotMet('If-Match')
  if (isContent(answer)) return contentResponse(store, answer, wish.headers)

  const headers = {
    'Cache-Control': 'private, max-age=0, must-revalidate',
    ...(tag !== undefined && {ETag: tag}),
  }
  const noneMatch = wish.headers['if-none-match']
  if (isCompared && noneMatch !== undefined && namesTag(noneMatch, tag)) {
    return {status: 304, headers}
  }
  const record = wish.fields ? select(wish.fields, answer) : answer
  return asScript(jsonResponse(200, record, headers, wish.prettyPrint), wish.callback)
}

/** An answer in JSON as a script that hands it to `callback` (reference: operations.md, parameter `callback`); as it is without one. */
export function asScript(response: ServiceResponse, callback: string | undefined): ServiceResponse {
  const {headers, body} = response
  if (callback === undefined || typeof body !== 'string') return response
  // In older scripts these two end a line, even within a string.
  const json = body.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return {
    ...response,
    headers: {...headers, 'Content-Type': 'text/javascript; charset=UTF-8'},
    // The comment keeps the first bytes out of the caller's hands, who might make another format of them.
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

/** Whatever was thrown as an error answer (reference: protocols.md, section 14). Surprises go to `log` alone. */
export function failureResponse(error: unknown, log: (error: unknown) => void): ServiceResponse {
  const known = error instanceof ApiError ? error : unexpected(error, log)
  return jsonResponse(known.status, errorBody(known), known.headers)
}

const HANG_UPS = [
  'ABORT_ERR',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]

/** Whether the other side has gone: nobody is left to read an answer, and nothing is wrong here. */
export function isHangUp(error: unknown): boolean {
  return HANG_UPS.includes(String((error as {code?: unknown} | null)?.code))
}

function unexpected(error: unknown, log: (error: unknown) => void): ApiError {
  const code = String((error as {code?: unknown} | null)?.code)
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return failure(503, 'backendError', 'Another process is writing. Try again.')
  }
  if (code === 'ENOENT') {
    // Another process removed the bytes between the look at their row and their opening.
    return failure(503, 'backendError', 'The content has just changed. Try again.')
  }
  if (!isHangUp(error)) log(error)
  return failure(500, 'internalError', 'Internal error')
}

/**
 * What a request is answered with when the disk keeps the service from its work. The reasons say
 * that another attempt would fail the same way. 507 is RFC 4918, section 11.5: what the request
 * wants kept cannot be; the reason for a full disk is that for any storage that is used up
 * (reference: protocols.md, section 14).
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
 * What to answer where the disk fails the store, or content is not as the database has it: 500
 * `contentDamaged`. The log hears of both, with the path. Any other error stays what it is, also
 * content whose row another process has removed meanwhile. Call it outside a transaction, which
 * would still see that row.
 */
export function storeFailure(store: Store, error: unknown, log: (error: unknown) => void): unknown {
  if (error instanceof DamagedContent && isContentUsed(store, error.id)) {
    log(error)
    return failure(500, CONTENT_DAMAGED, 'The content is damaged on the disk of the service.')
  }
  const told = inWords(error, store.directory)
  const answer = told instanceof DiskError && ANSWERS[told.obstacle]
  if (!answer) return error
  log(told)
  return failure(...answer, told.message)
}

/**
 * Bytes as an answer: whole, a range of them, or not changed (reference: protocols.md, section 3).
 * Throws 416 `requestedRangeNotSatisfiable`.
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
    // An empty range cannot be asked of a file.
    body:
      'blobId' in content && size > 0
        ? store.content.read(storedOf(content), {start, end})
        : (text?.subarray(start, end + 1) ?? ''),
  }
}

/**
 * Which part of `size` bytes, its last one included, a `Range` header asks for (reference: protocols.md, section 3).
 * `undefined` means all of it: there is no header, it is malformed, or it asks for several parts.
 * `unsatisfiable` means none of the bytes asked for are there (416).
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
 * Tells a browser to save the bytes under this name, whatever characters it has (RFC 6266): a
 * plain form for old readers and the exact one in UTF-8.
 */
function contentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact =
    plain === filename ? '' : `; filename*=UTF-8''${encodeSegment(wellFormed(filename))}`
  return `attachment; filename="${plain}"${exact}`
}

/** A lone half of a surrogate pair has no UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString()
}

/** A type that a header can carry: what a file claims to be comes from outside. */
function safeType(mimeType: string): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;[\x20-\x7e]*)?$/.test(mimeType)
    ? mimeType
    : 'application/octet-stream'
}
