import {select} from '#lib/api/fields.js'
import {JSON_TYPE} from '#lib/api/wire.js'
import {type Answer, isContent} from '#lib/service/call.js'
import {ApiError, conditionNotMet, errorBody, failure} from '#lib/service/errors.js'
import type {Store} from '#lib/service/store/index.js'
import {namesTag} from './conditions.js'
import {contentResponse} from './downloads.js'
import {asScript} from './jsonp.js'
import type {ServiceResponse} from './message.js'
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
