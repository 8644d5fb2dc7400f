import type {ErrorBody, ErrorDetail} from '#lib/api/wire.js'

/** An error response of the file service (reference: protocols.md, section 14). Handlers throw it. */
export class FileServiceError extends Error {
  constructor(
    readonly status: number,
    readonly detail: ErrorDetail,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail.message)
  }
}

/** The invalid parameter or header of a request. */
interface ErrorLocation {
  readonly locationType: 'parameter' | 'header'
  readonly location: string
}

/** The location of an invalid request header. */
export function atHeader(location: string): ErrorLocation {
  return {locationType: 'header', location}
}

/** An error with any status. A string as `location` names a parameter. */
export function failure(
  status: number,
  reason: string,
  message: string,
  location?: string | ErrorLocation,
  headers?: Readonly<Record<string, string>>,
): FileServiceError {
  const at =
    typeof location === 'string' ? ({locationType: 'parameter', location} as const) : location
  return new FileServiceError(status, {domain: 'global', reason, message, ...at}, headers)
}

/** 400: the request is malformed. `parameter` names the invalid parameter, if there is one. */
export function badRequest(
  message: string,
  parameter?: string,
  reason = 'badRequest',
): FileServiceError {
  return failure(400, reason, message, parameter)
}

/** 400 `invalid` for a parameter, with the message of the public service. */
export function invalidValue(parameter: string): FileServiceError {
  return invalid('Invalid Value', parameter)
}

/** 400 `invalid`: the value of a parameter or of a body field is not allowed. */
export function invalid(message: string, parameter: string): FileServiceError {
  return badRequest(message, parameter, 'invalid')
}

/** 400 `required`: a parameter or a body field is missing. */
export function required(name: string): FileServiceError {
  return badRequest(`Required parameter: ${name}`, name, 'required')
}

/** 403 with a reason, as in `forbidden('insufficientFilePermissions', …)`. A string as `location` names a parameter. */
export function forbidden(
  reason: string,
  message: string,
  location?: string | ErrorLocation,
): FileServiceError {
  return failure(403, reason, message, location)
}

/** 403: the file is visible, but the user's role does not allow this. */
export function insufficientRole(fileId: string): FileServiceError {
  return forbidden(
    'insufficientFilePermissions',
    `The user does not have sufficient permissions for file ${fileId}.`,
  )
}

/** 404: the item does not exist or is not visible to the caller. The response does not distinguish the two. */
export function notFound(what: string, id: string, parameter = 'fileId'): FileServiceError {
  return failure(404, 'notFound', `${what} not found: ${id}`, parameter)
}

/** 409 with a reason, as in `conflict('fileIdInUse', …)`. */
export function conflict(reason: string, message: string): FileServiceError {
  return failure(409, reason, message)
}

/** 412: the ETag of the item does not match `If-Match`, or matches `If-None-Match`. */
export function conditionNotMet(header: 'If-Match' | 'If-None-Match'): FileServiceError {
  return failure(412, 'conditionNotMet', 'Precondition Failed', atHeader(header))
}

/** The start of the `WWW-Authenticate` header in error responses of the API (RFC 6750, section 3). */
export const REALM = 'Bearer realm="drv"'

/** 401: the token is unknown, expired or revoked. */
export function invalidCredentials(): FileServiceError {
  return failure(401, 'authError', 'Invalid Credentials', atHeader('Authorization'), {
    'WWW-Authenticate': `${REALM}, error="invalid_token"`,
  })
}

/** 403: the item is in a shared drive of an organization that the token is not authorized for. */
export class SsoRequired extends FileServiceError {
  constructor(
    readonly organizationId: number,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const message =
      'The organization of this shared drive requires single sign-on. Authorize your token for it first.'
    super(403, {domain: 'global', reason: 'ssoRequired', message}, headers)
  }
}

/** 404: the path does not exist. */
export function noSuchPath(pathname: string): FileServiceError {
  return failure(404, 'notFound', `Path not found: ${pathname}.`)
}

/** 405: the path does not support the method. `allow` lists the methods it supports, if any. */
export function methodNotAllowed(message: string, allow: readonly string[]): FileServiceError {
  return failure(405, 'methodNotAllowed', message, undefined, {Allow: allow.join(', ')})
}

/** The body of an error response. */
export function errorBody({status, detail}: FileServiceError): ErrorBody {
  return {error: {errors: [detail], code: status, message: detail.message}}
}
