import {CHUNK_UNIT} from '#lib/api/wire.js'
import {type ApiError, atHeader, failure} from '#lib/service/errors.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import type {Progress} from '#lib/service/store/upload-sessions.js'

/**
 * How one request speaks with an upload session: what it wants, and how the session answers. The
 * session itself is the same for both protocols (`resumable.ts`), so a client may even change.
 */
export interface UploadProtocol {
  /** The size in bytes and the media type that the first request announces. Throws 400 for a size that is none. */
  announced(): {readonly size?: number; readonly mimeType?: string}
  /** Whether the body of the first request is content. Throws 400 for a request that begins no upload. */
  startsWithContent(): boolean
  /** The response to the first request; `address` is that of the service's path, without a query. */
  started(id: string, address: string): ServiceResponse
  /** Whether the request cancels the upload. Throws 400 for a command that is none. */
  cancels(): boolean
  /** The response to the cancellation. Throws 400 where a whole upload (`isWhole`) cannot be canceled. */
  canceled(id: string, isWhole: boolean): ServiceResponse
  /** What the request wants of a session that is `progress` far. Throws 400 for what does not fit. */
  step(progress: Progress): Step
  incomplete(id: string, received: number): ServiceResponse
  /** The response of the operation, now or again. */
  finished(response: ServiceResponse, received: number): ServiceResponse
  /** The error with what the client has to know of the session; no `state` where the session is gone. */
  refused(error: ApiError, state?: Progress & {readonly isWhole: boolean}): ApiError
}

/** What a request to an upload session comes for. */
export type Step =
  /** To ask how far the upload is; `total` may be news. It `concludes` an upload that is whole. */
  | {readonly kind: 'query'; readonly total?: number; readonly concludes: boolean}
  /** To bring the bytes from `start` up to, not including, `end`: as many as come when that is open. */
  | {
      readonly kind: 'bytes'
      readonly start: number
      readonly end?: number
      /** Of these bytes, those before `aligned` are stored: an odd end of a chunk comes again. */
      readonly aligned?: number
      readonly total?: number
      /** Whether the content is whole with these bytes. */
      readonly isLast: boolean
    }

/** The largest multiple of the chunk unit that is not above `count`. */
export function alignedDown(count: number): number {
  return count - (count % CHUNK_UNIT)
}

/** 400: the body is not as long as the request said. */
export function wrongCount(count: number, start: number, end: number) {
  return failure(
    400,
    'badRequest',
    `Invalid request. There were ${count} byte(s) in the request body. There should have been ` +
      `${end - start} byte(s) (starting at offset ${start} and ending at offset ${end - 1}) ` +
      'according to the Content-Range header.',
  )
}

/** The number of bytes in a header; `undefined` where it is missing. Throws 400 for what is no number. */
export function readSize(headers: ServiceRequest['headers'], name: string): number | undefined {
  const text = headers[name.toLowerCase()]?.trim()
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  throw failure(400, 'badRequest', `${name} must be a number of bytes.`, atHeader(name))
}

/** The length of a request's body in bytes; `undefined` where only its end will tell. */
export function contentLength({headers}: ServiceRequest): number | undefined {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : undefined
}

/** The headers of every response of a session. */
export function sessionHeaders(id: string): Record<string, string> {
  return {'X-GUploader-UploadID': id}
}
