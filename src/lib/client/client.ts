import type {Readable} from 'node:stream'
import type {Operation, OperationId} from '#lib/api/operations.js'

/** Parameter values by wire name, as text; already checked against the description. */
export type ParameterTexts = Readonly<Record<string, string | readonly string[]>>

/** What is known of content before it is sent. */
export interface UploadFacts {
  /** Bytes, where known beforehand; `undefined` for a stream of unknown length. */
  readonly size?: number
  readonly mimeType?: string
}

/** Content to send with an insert or update. */
export interface UploadSource extends UploadFacts {
  /** Opens the content anew, or hands it over whole; called once for each attempt. */
  open(): Readable | Buffer
  /** The MD5 in hexadecimal of what was read last, once it was read to its end. */
  md5?(): string | undefined
}

export interface CallInput {
  readonly params: ParameterTexts
  readonly body?: Readonly<Record<string, unknown>>
  readonly upload?: UploadSource
  /** An earlier run may have sent it: a taken ID with this content, and a missing thing to delete, count as success. */
  readonly mayBeDone?: boolean
  /** Sent as `If-Match`: where the entity has another tag by now, the service refuses with 412. */
  readonly ifMatch?: string
}

/** A call as `prepare` shows it: the content stays unread. */
export interface PlannedInput extends Pick<CallInput, 'params' | 'body' | 'ifMatch'> {
  readonly upload?: UploadFacts
  /** The content is to go up in one request, whatever its size. */
  readonly isWhole?: boolean
}

/** The most calls that one batch may have (reference: protocols.md, section 7). */
export const BATCH_LIMIT = 100

/** A call of a batch, without content. */
export interface BatchCall {
  readonly id: OperationId
  readonly input: CallInput
}

/** What came of a call of a batch: the record, where the operation has one, or why there is none. */
export type Outcome = {readonly record: Page | undefined} | {readonly error: unknown}

/** Which part of some content is wanted. */
export interface RangeInput {
  /** The first byte; 0 for all. */
  readonly start: number
  /** The content must still have this tag, or all of it comes; where it is not known, nobody asks. */
  readonly etag?: string
}

/** A request as it would be sent, for `--dry-run`; never holds a token. */
export interface PreparedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** Bytes on their way from the service. */
export interface IncomingContent {
  /** The bytes, which can be read once; fails with `NetworkError` when they break off. */
  readonly stream: AsyncIterable<Buffer>
  /** Ends it without reading on. */
  cancel(): void
  /** Bytes that come. */
  readonly size?: number
  /** Where they begin in the content; 0 unless a part was asked for and given. */
  readonly start?: number
  readonly mimeType?: string
  readonly etag?: string
}

/** One page of a list as the service sent it. */
export type Page = Readonly<Record<string, unknown>>

/** What comes of a request to an upload session (reference: protocols.md, section 1). */
export type SessionState =
  | {readonly isDone: false; readonly received: number}
  | {readonly isDone: true; readonly record: Readonly<Record<string, unknown>>}

/** Bytes on their way into a session. */
export interface Chunk {
  readonly start: number
  readonly size: number
  /** Size of the whole content, once it is known. */
  readonly total?: number
  readonly bytes: Readable | Buffer
}

/** Uploads in several requests. `status` and `send` send one request, once. */
export interface UploadSessions {
  /** The session's address, from the root; whatever is wrong with the metadata comes up here. */
  start(id: OperationId, input: CallInput): Promise<string>
  /** How far the service is; `total` tells it the size of the content. */
  status(session: string, total?: number): Promise<SessionState>
  send(session: string, chunk: Chunk): Promise<SessionState>
  /** Ends a session; that there is none any more is fine. */
  cancel(session: string): Promise<void>
}

/** A service as functions, by its description. All fail with the errors of `errors.ts`. */
export interface Client {
  /** An operation as the service's description has it. */
  operation(id: OperationId): Operation
  /** The answer's JSON, or `undefined` where the operation has none. */
  call(id: OperationId, input: CallInput): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Content: `alt=media` where the operation also returns JSON. With `range` it is requested once: `persist` retries. */
  download(id: OperationId, input: CallInput, range?: RangeInput): Promise<IncomingContent>
  /** The pages of a list in order, each fetched when it is asked for, until there is no `nextPageToken`. */
  pages(id: OperationId, input: CallInput): AsyncIterable<Page>
  prepare(id: OperationId, input: PlannedInput): PreparedRequest
  /**
   * Sends calls without content, `BATCH_LIMIT` in a request; returns their outcomes in order, or `undefined` where
   * the service has no batches. The first call goes alone until the token is proven. A request is retried by the
   * policy for its calls, a part of it is not. Throws what the first request fails with, and any refusal of the token;
   * later failures are outcomes.
   */
  batch(calls: readonly BatchCall[]): Promise<Outcome[] | undefined>
  /** Resolves once the service is known to take the present token; at once without one. */
  proven(): Promise<void>
  readonly uploads: UploadSessions
  /** Opens connections before requests need them, until there are so many in all. */
  openAhead(count: number): void
  /**
   * Repeats `work` after faults by the retry policy for what is safe to repeat, at most `attempts` times.
   * `work` calls `progressed` whenever it got further: patience then starts anew.
   */
  persist<T>(work: (progressed: () => void) => Promise<T>, attempts?: number): Promise<T>
}
