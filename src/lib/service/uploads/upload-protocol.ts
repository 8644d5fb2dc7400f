import {CHUNK_UNIT} from '#lib/api/wire.js'
import {atHeader, failure, type FileServiceError} from '#lib/service/errors.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import type {Progress} from '#lib/service/store/upload-sessions.js'

/**
 * The protocol of a request to an upload session: how to read the request and write the response.
 * Sessions are the same for both protocols (`resumable.ts`), so a client may switch between them.
 */
export interface UploadProtocol {
  /** The size in bytes and the media type in the first request. Throws 400 for an invalid size. */
  announced(): {readonly size?: number; readonly mimeType?: string}
  /** Whether the body of the first request is content. Throws 400 if the request does not start an upload. */
  startsWithContent(): boolean
  /** The response to the first request. `address` is the URL of the request without its query. */
  started(id: string, address: string): ServiceResponse
  /** Whether the request cancels the upload. Throws 400 for an invalid command. */
  cancels(): boolean
  /** The response to a cancellation. Throws 400 if the protocol cannot cancel a complete upload (`isWhole`). */
  canceled(id: string, isWhole: boolean): ServiceResponse
  /** The step that the request asks for. Throws 400 if it does not match the progress of the session. */
  step(progress: Progress): UploadAction
  /** The response for an incomplete upload with `received` bytes. */
  incomplete(id: string, received: number): ServiceResponse
  /** The response for a complete upload, built from the response of the operation. */
  finished(response: ServiceResponse, received: number): ServiceResponse
  /** The error with the headers for the client. `state` is missing if the session no longer exists. */
  refused(error: FileServiceError, state?: Progress & {readonly isWhole: boolean}): FileServiceError
}

/** A request to an upload session. */
export type UploadAction =
  /** Queries the progress and may set `total`. It `concludes` an upload whose content is complete. */
  | {readonly kind: 'query'; readonly total?: number; readonly concludes: boolean}
  /** Sends the bytes from `start` up to, not including, `end` (default: the end of the body). */
  | {
      readonly kind: 'bytes'
      readonly start: number
      readonly end?: number
      /** Only bytes before `aligned` are stored. The client sends the rest again. */
      readonly aligned?: number
      readonly total?: number
      /** Whether these bytes complete the content. */
      readonly isLast: boolean
    }

/** `count` rounded down to a multiple of the chunk unit. */
export function alignedDown(count: number): number {
  return count - (count % CHUNK_UNIT)
}

/** The error 400 for a body whose length does not match the headers. */
export function wrongCount(count: number, start: number, end: number) {
  return failure(
    400,
    'badRequest',
    `Invalid request. There were ${count} byte(s) in the request body. There should have been ` +
      `${end - start} byte(s) (starting at offset ${start} and ending at offset ${end - 1}) ` +
      'according to the Content-Range header.',
  )
}

/** The number of bytes in a header; `undefined` if it is missing. Throws 400 unless it is a number. */
export function readSize(headers: ServiceRequest['headers'], name: string): number | undefined {
  const text = headers[name.toLowerCase()]?.trim()
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  throw failure(400, 'badRequest', `${name} must be a number of bytes.`, atHeader(name))
}

/** The length of a request's body in bytes; `undefined` for a chunked body. */
export function contentLength({headers}: ServiceRequest): number | undefined {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : undefined
}

/** The headers of every response of a session. */
export function sessionHeaders(id: string): Record<string, string> {
  return {'X-GUploader-UploadID': id}
}
