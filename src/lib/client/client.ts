import type {Readable} from 'node:stream'
import type {Operation, OperationId} from '#lib/api/operations.js'

/** Parameter values as text, by API name; already checked against the description. */
export type ParameterTexts = Readonly<Record<string, string | readonly string[]>>

/** Facts about content that are known before it is sent. */
export interface UploadFacts {
  /** Size in bytes; `undefined` for a stream of unknown length. */
  readonly size?: number
  readonly mimeType?: string
}

/** Content to send with an insert or update. */
export interface UploadSource extends UploadFacts {
  /** Opens a new stream, or returns all content; called once for each attempt. */
  open(): Readable | Buffer
  /** MD5 (hexadecimal) of the last stream; `undefined` until it was read to its end. */
  md5?(): string | undefined
}

export interface CallInput {
  readonly params: ParameterTexts
  readonly body?: Readonly<Record<string, unknown>>
  readonly upload?: UploadSource
  /**
   * Whether an earlier run may have sent it: then a taken ID with the same content, a missing item to delete, or a file
   * that is already as the request leaves it, is success.
   */
  readonly mayBeDone?: boolean
  /** Sent as `If-Match`: the service refuses with 412 if the entity's tag is another one. */
  readonly ifMatch?: string
  /** Recorded in the history, never sent. */
  readonly history?: HistoryNote
}

/** Facts about a change that its request does not contain. */
export interface HistoryNote {
  /** The path or title of the item. */
  readonly item?: string
  /** The step of the history that it reverses. */
  readonly undoes?: string
  /** The changed fields as they were. */
  readonly before?: Readonly<Record<string, unknown>>
}

/** A call as `prepare` takes it, without opening the content. */
export interface PlannedInput extends Pick<CallInput, 'params' | 'body' | 'ifMatch' | 'history'> {
  readonly upload?: UploadFacts
  /** Whether to send the content in one request regardless of its size. */
  readonly isWhole?: boolean
}

/** Maximum number of calls in a batch (reference: protocols.md, section 7). */
export const BATCH_LIMIT = 100

/** A call of a batch, without content. */
export interface BatchCall {
  readonly id: OperationId
  readonly input: CallInput
}

/** The outcome of a call in a batch: the record, if the operation returns one, or an error. */
export type Outcome = {readonly record: Page | undefined} | {readonly error: unknown}

/** The part of some content to request. */
export interface RangeInput {
  /** Offset of the first byte; 0 for all content. */
  readonly start: number
  /** If the content's tag is another one, the service sends all of it. Without a tag there is no such check. */
  readonly etag?: string
}

/** A request as it would be sent, for `--dry-run`; never holds a token. */
export interface PreparedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** Content that is being received. */
export interface IncomingContent {
  /** The bytes, readable once; throws `NetworkError` if the connection breaks. */
  readonly stream: AsyncIterable<Buffer>
  /** Cancels the response. */
  cancel(): void
  /** Number of bytes in `stream`, if announced. */
  readonly size?: number
  /** Offset of the first byte; 0 unless a range was requested and sent. */
  readonly start?: number
  readonly mimeType?: string
  readonly etag?: string
}

/** One page of a list as the service sent it. */
export type Page = Readonly<Record<string, unknown>>

/** The state of an upload session (reference: protocols.md, section 1). */
export type SessionState =
  | {readonly isDone: false; readonly received: number}
  | {readonly isDone: true; readonly record: Readonly<Record<string, unknown>>}

/** Bytes to send to an upload session. */
export interface Chunk {
  readonly start: number
  readonly size: number
  /** Total size of the content, once known. */
  readonly total?: number
  readonly bytes: Readable | Buffer
}

/** Resumable uploads. `status` and `send` send one request, without retries. */
export interface UploadSessions {
  /** Starts a session and returns its path. The service checks the metadata here. */
  start(id: OperationId, input: CallInput): Promise<string>
  /** The state of a session; `total` tells the service the size of the content, `call` tells gates what it uploads. */
  status(session: string, total?: number, call?: BatchCall): Promise<SessionState>
  send(session: string, chunk: Chunk): Promise<SessionState>
  /** Ends a session; a session that no longer exists is no error. */
  cancel(session: string): Promise<void>
}

/** A service as functions, from its description. All throw the errors of `errors.ts`. */
export interface Client {
  /** An operation from the service's description. */
  operation(id: OperationId): Operation
  /** The JSON of the response; `undefined` if the operation returns none. */
  call(id: OperationId, input: CallInput): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Content, with `alt=media` if the operation can also return JSON. With `range` it is requested once; use `persist` to retry. */
  download(id: OperationId, input: CallInput, range?: RangeInput): Promise<IncomingContent>
  /** The pages of a list in order, each fetched on demand, until one has no `nextPageToken`. */
  pages(id: OperationId, input: CallInput): AsyncIterable<Page>
  prepare(id: OperationId, input: PlannedInput): PreparedRequest
  /**
   * Sends calls without content, `BATCH_LIMIT` per request, and returns their outcomes in order; `undefined` if
   * the service does not support batches. Until the token is proven, the first call is sent alone. Whole requests
   * are retried, single calls are not. Throws the error of the first request and any refusal of the token; later
   * errors are outcomes.
   */
  batch(calls: readonly BatchCall[]): Promise<Outcome[] | undefined>
  /** Resolves once the service has accepted the current token; immediately without a token. */
  proven(): Promise<void>
  readonly uploads: UploadSessions
  /** Receives the path by which the command line names a file, for the history. */
  resolved?(id: string, path: string): void
  /**
   * Receives a change before its names are resolved, so that the lists that find its items also read the fields that it
   * changes, for the history.
   */
  announce?(call: BatchCall): Promise<void>
  /** Opens connections in advance, up to `count` in total. */
  openAhead(count: number): void
  /**
   * Repeats `work` after failures as the retry policy allows for safe requests, at most `attempts` times.
   * `work` calls `progressed` when it has made progress, which resets attempts and time.
   */
  persist<T>(work: (progressed: () => void) => Promise<T>, attempts?: number): Promise<T>
}
