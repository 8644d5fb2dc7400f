import type {ErrorBody, ErrorDetail} from '#lib/api/wire.js'

/** An answer that is an error of the file service (reference: protocols.md, section 14). Handlers throw it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly detail: ErrorDetail,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail.message)
  }
}

/** What is wrong with a request, as far as one thing is. */
interface ErrorLocation {
  readonly locationType: 'parameter' | 'header'
  readonly location: string
}

/** A header of the request that is wrong. */
export function atHeader(location: string): ErrorLocation {
  return {locationType: 'header', location}
}

/** An error with any status. A text as `location` is a parameter. */
export function failure(
  status: number,
  reason: string,
  message: string,
  location?: string | ErrorLocation,
  headers?: Readonly<Record<string, string>>,
): ApiError {
  const at =
    typeof location === 'string' ? ({locationType: 'parameter', location} as const) : location
  return new ApiError(status, {domain: 'global', reason, message, ...at}, headers)
}

/** 400: the request is malformed. `parameter` names what is wrong, if one thing is. */
export function badRequest(message: string, parameter?: string, reason = 'badRequest'): ApiError {
  return failure(400, reason, message, parameter)
}

/** 400 `invalid` at a parameter, in the public service's words. */
export function invalidValue(parameter: string): ApiError {
  return invalid('Invalid Value', parameter)
}

/** 400 `invalid`: what a parameter or a field of the body holds cannot be. */
export function invalid(message: string, parameter: string): ApiError {
  return badRequest(message, parameter, 'invalid')
}

/** 400 `required`: a parameter or a body field is missing. */
export function required(name: string): ApiError {
  return badRequest(`Required parameter: ${name}`, name, 'required')
}

/** 403 with its reason; `forbidden('insufficientFilePermissions', …)`. A text as `location` is a parameter. */
export function forbidden(
  reason: string,
  message: string,
  location?: string | ErrorLocation,
): ApiError {
  return failure(403, reason, message, location)
}

/** 403: visible, but the role is too small for this. */
export function insufficientRole(fileId: string): ApiError {
  return forbidden(
    'insufficientFilePermissions',
    `The user does not have sufficient permissions for file ${fileId}.`,
  )
}

/** 404: unknown, or invisible to the caller; the two cannot be told apart. */
export function notFound(what: string, id: string, parameter = 'fileId'): ApiError {
  return failure(404, 'notFound', `${what} not found: ${id}`, parameter)
}

/** 409 with its reason: `conflict('fileIdInUse', …)`. */
export function conflict(reason: string, message: string): ApiError {
  return failure(409, reason, message)
}

/** 412: a header names another state of the entity, or the very one that it must not have. */
export function conditionNotMet(header: 'If-Match' | 'If-None-Match'): ApiError {
  return failure(412, 'conditionNotMet', 'Precondition Failed', atHeader(header))
}

/** What `WWW-Authenticate` begins with in the refusals of the API (RFC 6750, section 3). */
export const REALM = 'Bearer realm="drv"'

/** 401 for a token that opens nothing. */
export function invalidCredentials(): ApiError {
  return failure(401, 'authError', 'Invalid Credentials', atHeader('Authorization'), {
    'WWW-Authenticate': `${REALM}, error="invalid_token"`,
  })
}

/** 403: the item is in a shared drive whose organization wants the token authorized first. */
export class SsoRequired extends ApiError {
  constructor(
    readonly organizationId: number,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const message =
      'The organization of this shared drive enforces single sign-on. Authorize your token for it first.'
    super(403, {domain: 'global', reason: 'ssoRequired', message}, headers)
  }
}

/** 404: no resource has this path. */
export function noSuchPath(pathname: string): ApiError {
  return failure(404, 'notFound', `There is nothing at ${pathname}.`)
}

/** 405: the path knows other methods, if any. */
export function methodNotAllowed(message: string, allow: readonly string[]): ApiError {
  return failure(405, 'methodNotAllowed', message, undefined, {Allow: allow.join(', ')})
}

/** The body of an error answer. */
export function errorBody({status, detail}: ApiError): ErrorBody {
  return {error: {errors: [detail], code: status, message: detail.message}}
}
