import {commonParameters} from '#lib/api/description/fields.js'
import {checkFields, FieldsError, parseFields, type Selection} from '#lib/api/fields.js'
import {type Operation, responseSchema} from '#lib/api/operations.js'
import type {Schema} from '#lib/api/types.js'
import {parameterProblem, parameterValue, type Scalar} from '#lib/api/validate.js'
import type {Call} from '#lib/service/call.js'
import {badRequest, required} from '#lib/service/errors.js'
import type {Form} from './router.js'

/** How content comes with a request (reference: protocols.md, section 1). */
export type ContentForm = 'media' | 'multipart' | 'resumable'

/** What the query and the path of a request say, checked. */
export interface Inputs extends Pick<Call, 'params' | 'given' | 'common' | 'alt' | 'fields'> {
  readonly prettyPrint: boolean
  /** The function of a script that the answer is handed to. */
  readonly callback?: string
  readonly uploadType?: ContentForm
}

/** A page never holds more than this; where the description names no maximum, more is not an error. */
const PAGE_LIMIT = 1000

/** The names of these in `upload_protocol`, and in the headers of X-Goog-Upload. */
export const UPLOAD_PROTOCOLS: Readonly<Record<string, ContentForm>> = {
  raw: 'media',
  multipart: 'multipart',
  resumable: 'resumable',
}
const QUOTA_USER_LENGTH = 40

/** Fragments that fit behind a name: why a text does not fit, where the description has no words for it. */
const RULES: Readonly<Record<string, (text: string) => string | undefined>> = {
  callback: callbackProblem,
  includePermissionsForView: text =>
    text === '' || text === 'published' ? undefined : 'can be published only',
  quotaUser: text =>
    [...text].length > QUOTA_USER_LENGTH
      ? `must not be longer than ${QUOTA_USER_LENGTH} characters`
      : undefined,
}

/** Not the token, which links must not tell, and not what is about this one answer. */
const LINKED = ['alt', 'fields', 'prettyPrint', 'quotaUser', '$.xgafv']

const UPLOAD_TYPES = Object.values(UPLOAD_PROTOCOLS)

/**
 * Reads the parameters of an operation and those that every operation takes (reference:
 * operations.md). Unknown ones are ignored; of one that comes twice the last counts. Throws 400
 * `invalidParameter` or `required`.
 */
export function readInputs(
  operation: Operation,
  form: Form,
  values: Readonly<Record<string, string>>,
  query: URLSearchParams,
): Inputs {
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

/** A name such as `constructor` comes from outside. */
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
  const wanted = alt ?? (form === 'download' ? 'media' : 'json')
  if (wanted === 'proto') {
    throw badRequest('The local service does not write protocol buffers. Leave out alt.', 'alt')
  }
  if (wanted === 'media' && (form === 'upload' || !operation.supportsMediaDownload)) {
    throw invalidParameter('alt', `${operation.operationId} has no content: leave out alt=media.`)
  }
  return wanted === 'media' ? 'media' : 'json'
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
    throw badRequest(`${name} works on paths that start with /upload only.`, name)
  }
  const wanted = uploadType === undefined ? own(UPLOAD_PROTOCOLS, text) : text
  const known = UPLOAD_TYPES.find(type => type === wanted)
  if (known) return known
  const choice = uploadType === undefined ? Object.keys(UPLOAD_PROTOCOLS) : UPLOAD_TYPES
  throw invalidParameter(name, `Invalid value for ${name}: it must be one of ${choice.join(', ')}.`)
}

function invalidParameter(name: string, message: string) {
  return badRequest(message, name, 'invalidParameter')
}

/** The function that a query names, as `app.show`; `undefined` where it names none that a script can call. */
export function wantedCallback(query: URLSearchParams): string | undefined {
  const name = query.getAll('callback').at(-1)
  return name !== undefined && callbackProblem(name) === undefined ? name : undefined
}

/** Why a text names no function; fits behind the parameter's name. */
function callbackProblem(text: string): string | undefined {
  return /^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*$/.test(text)
    ? undefined
    : 'must be a name such as app.show'
}
