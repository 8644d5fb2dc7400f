import {commonParameters} from '#lib/api/description/fields.js'
import {checkFields, FieldsError, parseFields, type Selection} from '#lib/api/fields.js'
import {type Operation, responseSchema} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {parameterProblem, parameterValue, type Scalar} from '#lib/api/validate.js'
import type {Call} from '#lib/service/call.js'
import {badRequest, required} from '#lib/service/errors.js'
import type {Form} from './router.js'

/** The upload protocol of a request with content (reference: protocols.md, section 1). */
export type ContentForm = 'media' | 'multipart' | 'resumable'

/** The validated values from the query and the path of a request. */
export interface RequestParameters extends Pick<
  Call,
  'params' | 'given' | 'common' | 'alt' | 'fields'
> {
  readonly prettyPrint: boolean
  /** The script function to call with the response (JSONP). */
  readonly callback?: string
  readonly uploadType?: ContentForm
}

/** Maximum page size. If the description has no maximum, a larger `maxResults` is reduced to it. */
const PAGE_LIMIT = 1000

/** The values of `upload_protocol` and of `X-Goog-Upload-Protocol`. */
export const UPLOAD_PROTOCOLS: Readonly<Record<string, ContentForm>> = {
  raw: 'media',
  multipart: 'multipart',
  resumable: 'resumable',
}
const QUOTA_USER_LENGTH = 40

/** Checks beyond the description, by parameter. Each returns why a text is invalid, to follow "it". */
const RULES: Readonly<Record<string, (text: string) => string | undefined>> = {
  callback: callbackProblem,
  includePermissionsForView: text =>
    text === '' || text === 'published' ? undefined : 'must be published',
  quotaUser: text =>
    [...text].length > QUOTA_USER_LENGTH
      ? `must not be longer than ${QUOTA_USER_LENGTH} characters`
      : undefined,
}

/** Common parameters that links repeat. Links must not contain the token, and `callback` applies to one response only. */
const LINKED = ['alt', 'fields', 'prettyPrint', 'quotaUser', '$.xgafv']

const UPLOAD_TYPES = Object.values(UPLOAD_PROTOCOLS)

/**
 * Reads the parameters of an operation and the common parameters (reference: operations.md). Ignores
 * unknown ones; the last of several values counts. Throws 400 `invalidParameter`, `badRequest` or
 * `required`.
 */
export function readInputs(
  operation: Operation,
  form: Form,
  values: Readonly<Record<string, string>>,
  query: URLSearchParams,
): RequestParameters {
  const texts: Record<string, string> = Object.fromEntries(query)
  const params: Record<string, Scalar | undefined> = {}
  const given: string[] = []
  for (const [name, schema] of Object.entries(operation.parameters)) {
    const text = schema.location === 'path' ? values[name] : own(texts, name)
    if (text !== undefined && !(schema.required && text === '')) {
      given.push(name)
      params[name] = checked(name, schema, text)
    } else {
      if (schema.required) throw required(name)
      params[name] =
        schema.default === undefined ? undefined : parameterValue(schema, schema.default)
    }
  }
  const common = (name: keyof typeof commonParameters): string | undefined => {
    const text = own(texts, name)
    if (text === undefined) return undefined
    checked(name, commonParameters[name], text)
    return text
  }
  common('$.xgafv')
  common('quotaUser')
  const fields = common('fields')
  return {
    params: params,
    given,
    common: Object.fromEntries(Object.entries(texts).filter(([name]) => LINKED.includes(name))),
    alt: readAlt(operation, form, common('alt')),
    fields: fields ? readFields(operation, fields) : undefined,
    prettyPrint: common('prettyPrint') !== 'false',
    callback: common('callback'),
    uploadType: readUploadType(form, common('uploadType'), common('upload_protocol')),
  }
}

/** An own property; names such as `constructor` can come from a request. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function checked(name: string, schema: Schema, text: string): Scalar {
  const problem = parameterProblem(name, schema, text)?.text ?? own(RULES, name)?.(text)
  if (problem) throw invalidParameter(name, `Invalid value for ${name}: it ${problem}.`)
  const value = parameterValue(schema, text)
  return name === 'maxResults' && schema.maximum === undefined
    ? Math.min(Number(value), PAGE_LIMIT)
    : value
}

function readAlt(operation: Operation, form: Form, alt: string | undefined): 'json' | 'media' {
  const value = alt ?? (form === 'download' ? 'media' : 'json')
  if (value === 'proto') {
    throw badRequest('The local service does not support protocol buffers. Omit alt.', 'alt')
  }
  if (value === 'media' && (form === 'upload' || !operation.supportsMediaDownload)) {
    throw invalidParameter('alt', `${operation.operationId} returns no content. Omit alt=media.`)
  }
  return value === 'media' ? 'media' : 'json'
}

function readFields(operation: Operation, text: string): Selection {
  try {
    const selection = parseFields(text)
    const schema = responseSchema(operation)
    if (schema) checkFields(selection, schema, operation.document.schemas)
    return selection
  } catch (error) {
    if (error instanceof FieldsError) throw invalidParameter('fields', error.message)
    throw error
  }
}

function readUploadType(
  form: Form,
  uploadType: string | undefined,
  protocol: string | undefined,
): ContentForm | undefined {
  const name = uploadType === undefined ? 'upload_protocol' : 'uploadType'
  const text = uploadType ?? protocol
  if (text === undefined) return undefined
  if (form !== 'upload') {
    throw badRequest(`${name} is only valid on paths that start with /upload.`, name)
  }
  const type = uploadType === undefined ? own(UPLOAD_PROTOCOLS, text) : text
  const known = UPLOAD_TYPES.find(each => each === type)
  if (known) return known
  const choice = uploadType === undefined ? Object.keys(UPLOAD_PROTOCOLS) : UPLOAD_TYPES
  throw invalidParameter(name, `Invalid value for ${name}: it must be one of ${choice.join(', ')}.`)
}

function invalidParameter(name: string, message: string) {
  return badRequest(message, name, 'invalidParameter')
}

/** The `callback` of a query, such as `app.show`; `undefined` if it is missing or invalid. */
export function validCallback(query: URLSearchParams): string | undefined {
  const name = query.getAll('callback').at(-1)
  return name !== undefined && callbackProblem(name) === undefined ? name : undefined
}

/** Why a text is not a valid function name, to follow "it"; `undefined` if it is valid. */
function callbackProblem(text: string): string | undefined {
  return /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/.test(text)
    ? undefined
    : 'must be a name such as app.show'
}
