import {isUtf8} from 'node:buffer'
import {promisify} from 'node:util'
import {gunzip} from 'node:zlib'
import {type Operation, requestSchema} from '#lib/api/operations.js'
import {bodyProblems, isObject} from '#lib/api/validate.js'
import {atHeader, badRequest, failure, invalid} from '#lib/service/errors.js'
import {withParentReferences} from '#lib/service/metadata/create.js'
import {BODY_LIMIT, BodyTooLarge, readBody, type ServiceRequest} from './message.js'
import {mediaType} from './multipart.js'

export type JsonObject = Readonly<Record<string, unknown>>

const gunzipAll = promisify(gunzip)

/**
 * The JSON body of a request, checked against the description; `{}` if the operation takes no body
 * or the request has none. Throws 400 `parseError`, `badRequest`, `invalid` or `required`, 413 and 415.
 */
export async function readJsonBody(
  operation: Operation,
  request: ServiceRequest,
): Promise<JsonObject> {
  if (!requestSchema(operation)) return {}
  const bytes = await readWhole(request)
  if (bytes.length > 0) refuseOtherTypes(request.headers['content-type'])
  return checkedBody(operation, bytes)
}

/** Reads a whole body of at most `BODY_LIMIT` bytes and decompresses gzip. Throws 400, 413 and 415. */
export async function readWhole({body, headers}: ServiceRequest): Promise<Buffer> {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding)) throw unknownEncoding(encoding)
  if (Number(headers['content-length'] ?? 0) > BODY_LIMIT) throw tooLarge()
  try {
    const bytes = await readBody(body)
    if (encoding === 'identity' || bytes.length === 0) return bytes
    return await gunzipAll(bytes, {maxOutputLength: BODY_LIMIT})
  } catch (error) {
    if (error instanceof BodyTooLarge) throw tooLarge()
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    if (code?.startsWith('Z_')) {
      throw badRequest('The body is not valid gzip, but Content-Encoding is gzip.')
    }
    throw error
  }
}

/** Parses the JSON body of an operation and checks it against the description. Throws 400. */
export function checkedBody(operation: Operation, bytes: Buffer): JsonObject {
  if (bytes.length === 0) return validBody(operation, {})
  if (!isUtf8(bytes)) throw parseError('it is not UTF-8')
  let body: unknown
  try {
    body = JSON.parse(bytes.toString().replace(/^\uFEFF/, ''))
  } catch (error) {
    throw parseError((error as Error).message)
  }
  if (!isObject(body)) throw badRequest('The body must be a JSON object.')
  return validBody(operation, withParentReferences(body))
}

/** Throws 400 for a `Content-Type` other than JSON. A missing one counts as JSON. */
export function refuseOtherTypes(contentType: string | undefined): void {
  const type = mediaType(contentType)
  if (type === undefined || type === 'application/json') return
  throw badRequest(`The body must be JSON (application/json), not ${type}.`)
}

/** The error 415 for an unsupported `Content-Encoding`. */
export function unknownEncoding(encoding: string) {
  return failure(
    415,
    'badRequest',
    `Unsupported Content-Encoding: ${JSON.stringify(encoding)}. Use gzip or identity.`,
    atHeader('Content-Encoding'),
  )
}

function validBody(operation: Operation, body: JsonObject): JsonObject {
  const [problem] = bodyProblems(operation, body)
  if (problem?.rule === 'required') {
    throw badRequest(`The body needs a value for ${problem.at}.`, problem.at, 'required')
  }
  if (problem) {
    throw invalid(`Invalid value in the body: ${problem.at} ${problem.text}.`, problem.at)
  }
  return body
}

function parseError(reason: string) {
  return badRequest(`The body is not valid JSON: ${reason}.`, undefined, 'parseError')
}

function tooLarge() {
  return failure(413, 'requestTooLarge', `The JSON body is too large (limit: ${BODY_LIMIT} bytes).`)
}
