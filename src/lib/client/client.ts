import type {Readable} from 'node:stream'
import type {OperationId} from '../api/operations.js'

/** Parameter values by wire name, as text; already checked against the description. */
export type ParameterTexts = Readonly<Record<string, string | readonly string[]>>

/** Content to send with an insert or update. */
export interface UploadSource {
  /** Opens the content anew; called once for each attempt. */
  open(): Readable
  /** Bytes, where known beforehand; `undefined` for a stream of unknown length. */
  readonly size?: number
  readonly mimeType?: string
}

export interface CallInput {
  readonly params: ParameterTexts
  readonly body?: Readonly<Record<string, unknown>>
  readonly upload?: UploadSource
}

/** A request as it would be sent, for `--dry-run`; never holds a token. */
export interface PreparedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** Bytes on their way from the service. */
export interface Download {
  readonly stream: Readable
  readonly size?: number
  readonly mimeType?: string
  readonly etag?: string
}

/** One page of a list as the service sent it. */
export type Page = Readonly<Record<string, unknown>>

/** The file service as functions. All fail with the errors of `errors.ts`. */
export interface Client {
  /** The answer's JSON, or `undefined` where the operation has none. */
  call(id: OperationId, input: CallInput): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Bytes: `alt=media` for operations that also answer JSON, plain for exports. */
  download(id: OperationId, input: CallInput): Promise<Download>
  /** The pages of a list in order, each fetched when it is asked for, until there is no `nextPageToken`. */
  pages(id: OperationId, input: CallInput): AsyncIterable<Page>
  prepare(id: OperationId, input: CallInput): PreparedRequest
}
