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

/** The parameters of an operation, validated against the description, with defaults filled in. */
export type Params<Id extends OperationId> = {
  readonly [K in keyof ParametersOf<Id>]: IsGiven<ParametersOf<Id>[K]> extends true
    ? ParameterType<ParametersOf<Id>[K]>
    : ParameterType<ParametersOf<Id>[K]> | undefined
}

/** Content of a request, completely received and stored on disk, but not yet part of a file. */
export interface Media extends Blob {
  /** From the request, without parameters; `undefined` if the request has no media type. */
  readonly mimeType?: string
}

/** One request for one operation, authorized and validated against the description. */
export interface Call<Id extends OperationId = OperationId> extends StoreCall {
  readonly params: Params<Id>
  /** Names of the parameters in the request, to distinguish an explicit value from a default. */
  readonly given: readonly string[]
  /** The common parameters of the request that its links must repeat, as text. */
  readonly common: Readonly<Record<string, string>>
  /** The JSON body; `{}` if the request has none. Handlers ignore read-only fields in it. */
  readonly body: Readonly<Record<string, unknown>>
  readonly media?: Media
  /** The fields that the request selects, if any. The response record may omit all others. */
  readonly fields?: Selection
  /** Request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The base URL of the request, without a trailing slash; links in responses start with it. */
  readonly origin: string
}

/** File content as a response. The server handles `Range` and conditional requests. */
export interface Content {
  readonly content: {readonly blobId: string; readonly size: number} | {readonly text: string}
  readonly mimeType: string
  readonly filename: string
  readonly etag: string
}

/** The result of a handler: a record, content, or nothing (204). */
export type Answer = Readonly<Record<string, unknown>> | Content | undefined

/**
 * Implements one operation. Runs inside one transaction of the store, without I/O of its own. Throws
 * `ApiError` to refuse the request, which rolls the transaction back. Changes to all items below a
 * folder go through `inSlices`.
 */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Answer

/** One handler for each of these operations: `HandlersOf<'files.trash' | 'files.untrash'>`. */
export type HandlersOf<Ids extends OperationId> = {readonly [Id in Ids]: Handler<Id>}

/** One handler for each operation of a resource. */
export type Handlers<R extends ResourceName> = HandlersOf<Extract<OperationId, `${R}.${string}`>>

export function isContent(answer: Answer): answer is Content {
  return answer !== undefined && 'content' in answer && 'mimeType' in answer && 'filename' in answer
}
