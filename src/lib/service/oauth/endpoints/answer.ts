import {type ServiceRequest, type ServiceResponse, weightedList} from '#lib/service/http/message.js'

/**
 * Responses of the authorization service to programs, in JSON, XML or form encoding. Pages for people
 * are in `../pages`, the steps of a sign-in in `../flows`.
 */

/** The response formats of the token and device code endpoints (spec: authorization.md, Response formats). */
export type Format = 'form' | 'json' | 'xml'

export type AnswerFields = Readonly<Record<string, string | number>>

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['application/json', 'json'],
  ['application/vnd.service+json', 'json'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
  ['application/x-www-form-urlencoded', 'form'],
])

/** Returns the format that an `Accept` header prefers; `form` if it names none of the three. */
export function acceptedFormat(accept: string | undefined): Format {
  const known = weightedList(accept).filter(([type, weight]) => FORMATS.has(type) && weight > 0)
  // Sorting is stable, so the first of several equal weights wins.
  const [best] = known.sort(([, one], [, other]) => other - one)
  return (best && FORMATS.get(best[0])) ?? 'form'
}

const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  form: 'application/x-www-form-urlencoded; charset=utf-8',
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
}

/** Returns a response in one of the three formats. It must not be cached because it may contain a token. */
export function fieldsResponse(
  status: number,
  fields: AnswerFields,
  format: Format,
): ServiceResponse {
  return {
    status,
    headers: {'Content-Type': CONTENT_TYPES[format], 'Cache-Control': 'no-store', Vary: 'Accept'},
    body: encodeFields(fields, format),
  }
}

export function encodeFields(fields: AnswerFields, format: Format): string {
  switch (format) {
    case 'json':
      return JSON.stringify(fields)
    case 'xml':
      return `<?xml version="1.0" encoding="UTF-8"?>\n<OAuth>${xmlElements(fields)}</OAuth>\n`
    case 'form':
      return new URLSearchParams(
        Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
      ).toString()
  }
}

function xmlElements(fields: AnswerFields): string {
  return Object.entries(fields)
    .map(([name, value]) => `<${name}>${xmlText(String(value))}</${name}>`)
    .join('')
}

function xmlText(text: string): string {
  return text.replace(/[&<>]/g, sign => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[sign]!)
}

/** The descriptions of the errors of the authorization endpoints (spec: authorization.md, Errors; reference: oauth.md, sections 2 to 4). */
export const oauthErrors = {
  access_denied: 'The user has denied your application access.',
  application_suspended: 'Your application has been suspended.',
  authorization_pending: 'The user has not entered the code yet. Keep polling at the interval.',
  bad_refresh_token: 'The refresh token passed is incorrect or expired.',
  bad_verification_code: 'The code passed is incorrect or expired.',
  device_flow_disabled: 'The device flow is not enabled in the settings of this application.',
  expired_token: 'The device code has expired. Request a new one.',
  incorrect_client_credentials: 'The client_id and/or client_secret passed are incorrect.',
  incorrect_device_code: 'The device_code provided is not valid.',
  invalid_request: 'The request is malformed.',
  invalid_scope: 'The request contains a scope that this service does not have.',
  redirect_uri_mismatch:
    'The redirect_uri must match the callback URL registered for this application.',
  slow_down: 'Too many requests have been made in the same timeframe. Wait for the interval.',
  unverified_user_email: 'The user must verify the primary email address of the account first.',
  unsupported_grant_type:
    'The grant_type is missing or not supported. Use authorization_code, refresh_token or urn:ietf:params:oauth:grant-type:device_code.',
  unsupported_response_type: 'The response_type must be code.',
} as const

export type OauthErrorCode = keyof typeof oauthErrors

/** An error of the token and device code endpoints. */
export interface OauthError {
  readonly error: OauthErrorCode
  /** A more specific description instead of the one in `oauthErrors`. */
  readonly error_description?: string
  /** With `slow_down`: the new interval between polls, in seconds. */
  readonly interval?: number
}

/** The path of the page that explains the errors. */
export const ERRORS_PATH = '/docs/oauth-errors'

/** Returns the fields of an error response in the order in which they are sent. The interval follows them. */
export function errorFields(
  {error, error_description = oauthErrors[error]}: OauthError,
  {url}: ServiceRequest,
) {
  return {error, error_description, error_uri: `${url.origin}${ERRORS_PATH}#${error}`}
}
