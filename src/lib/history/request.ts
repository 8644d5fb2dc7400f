import {addFields} from '#lib/api/fields.js'
import {type Operation, responseSchema} from '#lib/api/operations.js'
import type {BatchCall, CallInput, Page} from '#lib/client/client.js'
import {NetworkError, refusalOf, ServiceError} from '#lib/client/errors.js'
import {isDoubtfulFailure} from '#lib/client/retry/attempts.js'
import type {StepState} from './lines.js'
import type {SentChange} from './reversal.js'

/** What the history records of a request and of its response. Pure. */

/** Parameters and fields that are content or private texts. */
const LEFT_OUT = new Set(['emailMessage', 'indexableText', 'thumbnail'])

/** The parameters and the body to record. */
export function recordedRequest({input: {params, body, upload}}: BatchCall) {
  const isKept = ([name]: [string, unknown]) => !LEFT_OUT.has(name)
  return {
    params: Object.fromEntries(Object.entries(params).filter(isKept)),
    ...(body && {body: Object.fromEntries(Object.entries(body).filter(isKept))}),
    ...(upload && {hasContent: true as const}),
  }
}

/** The change that a call makes, from its request alone. */
export function changeIn(call: BatchCall): SentChange {
  const {body = {}, ...request} = recordedRequest(call)
  return {...request, body}
}

/** The fields of a response that undo needs. */
const FACTS = [
  ...['id', 'etag', 'title', 'md5Checksum', 'headRevisionId', 'modifiedDate'],
  ...['type', 'role', 'additionalRoles', 'emailAddress', 'domain', 'withLink', 'expirationDate'],
  ...['key', 'value', 'visibility', 'name'],
]

/** The facts of a response to record. */
export function factsOf(record: Page | undefined): Page | undefined {
  const facts = FACTS.filter(name => record?.[name] !== undefined)
  return facts.length === 0
    ? undefined
    : Object.fromEntries(facts.map(name => [name, record![name]]))
}

/**
 * The same input; a selection of fields also selects the ID and the tag, and after new content of an existing file its
 * revision, so that undo needs no request to find them.
 */
export function withFacts(operation: Operation, input: CallInput): CallInput {
  const {fields} = input.params
  if (typeof fields !== 'string' || fields === '') return input
  const known = responseSchema(operation)?.properties ?? {}
  const isNewContent = input.upload && input.params.fileId !== undefined
  const wanted = ['id', 'etag', ...(isNewContent ? ['headRevisionId'] : [])]
  const all = addFields(
    fields,
    wanted.filter(name => known[name]),
  )
  return all === fields ? input : {...input, params: {...input.params, fields: all}}
}

/** The state of a step after an error. */
export function stateAfter(error: unknown): StepState {
  if (isDoubtfulFailure(error)) return 'unknown'
  const refusal = refusalOf(error)
  if (error instanceof ServiceError) return refusal === 'service' ? 'unknown' : 'failed'
  if (error instanceof NetworkError) return isNotSent(error) ? 'unsent' : 'unknown'
  const name = error instanceof Error ? error.name : ''
  return UNSENT.has(name) ? 'unsent' : 'unknown'
}

/** Errors before a request is sent. */
const UNSENT = new Set(['SetupError', 'InputError', 'UnprovenTokenError', 'TokenRenewedError'])

const NO_CONNECTION = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

function isNotSent(error: NetworkError): boolean {
  const {code = ''} = (error.cause ?? {}) as NodeJS.ErrnoException
  return NO_CONNECTION.has(code)
}
