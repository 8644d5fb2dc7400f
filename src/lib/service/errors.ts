import type {ErrorBody, ErrorDetail} from '../api/wire.js'

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
  readonly locationType?: 'parameter' | 'header' | 'other'
  readonly location?: string
}

function apiError(
  status: number,
  reason: string,
  message: string,
  location: string | ErrorLocation = {},
): ApiError {
  const at =
    typeof location === 'string' ? ({locationType: 'parameter', location} as const) : location
  return new ApiError(status, {domain: 'global', reason, message, ...at})
}

/** 400: the request is malformed. `parameter` names what is wrong, if one thing is. */
export function badRequest(message: string, parameter?: string, reason = 'badRequest'): ApiError {
  return apiError(400, reason, message, parameter)
}

/** 400 `invalid` at a parameter, in the public service's words. */
export function invalidValue(parameter: string): ApiError {
  return badRequest('Invalid Value', parameter, 'invalid')
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
  return apiError(403, reason, message, location)
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
  return apiError(404, 'notFound', `${what} not found: ${id}`, parameter)
}

/** 409 with its reason: `conflict('fileIdInUse', …)`. */
export function conflict(reason: string, message: string): ApiError {
  return apiError(409, reason, message)
}

/** 412: an `If-Match` header names another state of the entity. */
export function conditionNotMet(): ApiError {
  return apiError(412, 'conditionNotMet', 'Precondition Failed', {
    locationType: 'header',
    location: 'If-Match',
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

/** Any other status. */
export function failure(
  status: number,
  reason: string,
  message: string,
  location?: ErrorLocation,
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError(status, apiError(status, reason, message, location).detail, headers)
}

export function errorBody({status, detail}: ApiError): ErrorBody {
  return {error: {errors: [detail], code: status, message: detail.message}}
}
