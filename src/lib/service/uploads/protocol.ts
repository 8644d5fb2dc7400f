import type {ApiError} from '#lib/service/errors.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import type {Progress} from '#lib/service/store/upload-sessions.js'
import type {Step} from './progress.js'

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
