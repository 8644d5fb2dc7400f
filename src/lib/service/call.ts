import type {resourceSources} from '#lib/api/description/index.js'
import type {Selection} from '#lib/api/fields.js'
import type {OperationId, ResourceName} from '#lib/api/operations.js'
import type {Blob} from './store/content/content.js'
import type {StoreCall} from './store/store-call.js'

type Sources = typeof resourceSources
type MethodOf<Id extends OperationId> = Id extends `${infer R extends ResourceName}.${infer M}`
  ? M extends keyof Sources[R]
    ? Sources[R][M]
    : never
  : never
type ParametersOf<Id extends OperationId> =
  MethodOf<Id> extends {parameters: infer P} ? P : Record<never, never>
type ParameterType<S> = S extends {type: 'boolean'}
  ? boolean
  : S extends {type: 'integer'}
    ? number
    : S extends {enum: readonly (infer E)[]}
      ? E
      : string
type IsGiven<S> = S extends {required: true} ? true : S extends {default: string} ? true : false

/** The parameters of an operation as values: checked against the description, defaults filled in. */
export type Params<Id extends OperationId> = {
  readonly [K in keyof ParametersOf<Id>]: IsGiven<ParametersOf<Id>[K]> extends true
    ? ParameterType<ParametersOf<Id>[K]>
    : ParameterType<ParametersOf<Id>[K]> | undefined
}

/** Content that came with a request, received whole and on the disk, not yet anybody's. */
export interface Media extends Blob {
  /** As the request named it, without parameters; `undefined` when it named none. */
  readonly mimeType?: string
}

/** One request for one operation, authorized and checked against the description. */
export interface Call<Id extends OperationId = OperationId> extends StoreCall {
  readonly params: Params<Id>
  /** Parameters that the request named itself, so that a default can be told from a wish. */
  readonly given: readonly string[]
  /** What the request named of the parameters that every operation takes and that links carry on, as text. */
  readonly common: Readonly<Record<string, string>>
  /** The JSON body; `{}` when the request had none. Read-only fields may be in it: ignore them. */
  readonly body: Readonly<Record<string, unknown>>
  readonly media?: Media
  /** What of the answer the request asks for, where it says so: a record need not hold the rest. */
  readonly fields?: Selection
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The address the caller reached, without a slash at the end: links in answers start so. */
  readonly origin: string
}

/** Bytes as an answer. `Range` and conditions are the server's business. */
export interface Content {
  readonly content: {readonly blobId: string; readonly size: number} | {readonly text: string}
  readonly mimeType: string
  readonly filename: string
  readonly etag: string
}

/** What a handler answers: a record, bytes, or nothing (204). */
export type Answer = Readonly<Record<string, unknown>> | Content | undefined

/**
 * The behaviour of one operation. Runs inside one transaction of the store and does no I/O of its
 * own; throws `ApiError` to refuse, which undoes everything. What it does to each item below a
 * folder goes through `inSlices`.
 */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Answer

/** The handlers of these operations, one each: `HandlersOf<'files.trash' | 'files.untrash'>`. */
export type HandlersOf<Ids extends OperationId> = {readonly [Id in Ids]: Handler<Id>}

/** The handlers of a resource group, one for each of its operations. */
export type Handlers<R extends ResourceName> = HandlersOf<Extract<OperationId, `${R}.${string}`>>

export function isContent(answer: Answer): answer is Content {
  return answer !== undefined && 'content' in answer && 'mimeType' in answer && 'filename' in answer
}
