import {STATUS_CODES} from 'node:http'
import {isObject, nonEmptyText} from '#lib/api/validate.js'
import type {HttpResponse} from '#lib/client/transport/transport.js'
import {displayableAddress, isLoopback} from '#lib/config/address.js'
import {printable} from '#lib/platform/sanitize.js'
import {parseJson, parseUrl} from '#lib/platform/values.js'
import {isLockout, ProtocolError, ServiceError} from './errors.js'
import {checkShape} from './limits.js'

/** Interprets responses. Pure. Makes all text from the service printable. */

type Headers = HttpResponse['headers']

/** The meaning of a status. */
type Meaning = 'result' | 'empty' | 'refusal' | 'redirect' | 'strange'

export function statusMeaning(status: number): Meaning {
  if (status === 204 || status === 205) return 'empty'
  if (status >= 200 && status < 300) return 'result'
  if (status >= 400 && status < 600) return 'refusal'
  return status >= 300 && status < 400 ? 'redirect' : 'strange'
}

/**
 * The error for an error response: that of the file service (reference: protocols.md, section 14),
 * `{message}` (oauth.md, section 6), an OAuth error, or any other body. `now` is in milliseconds, for a
 * `Retry-After` date; `hide` removes secrets from the service's text; `isCutShort` if the body broke off.
 */
export function serviceError(
  status: number,
  headers: Headers,
  body: string,
  now: number,
  {
    hide = text => text,
    isCutShort = false,
  }: {readonly hide?: (text: string) => string; readonly isCutShort?: boolean} = {},
): ServiceError {
  const words = refusalWords(body, headers['content-type'])
  // Hide after parsing: in the body a secret may contain escapes.
  const [reason, message = '', location] = [words.reason, words.message, words.location].map(
    text => text && hide(text),
  )
  const {url: ssoUrl} = readSso(headers['x-service-sso'])
  const limit = rateLimit(status, headers, {reason, message, ssoUrl}, now)
  return new ServiceError(
    status,
    printable(limit?.reason ?? reason ?? '', 100),
    message
      ? printable(message)
      : `The service responded with status ${status}${STATUS_CODES[status] ? ` (${STATUS_CODES[status]})` : ''} and gave no reason.`,
    {
      location: location === undefined ? undefined : printable(location, 100),
      acceptedScopes: headerScopes(headers['x-accepted-oauth-scopes']),
      tokenScopes: headerScopes(headers['x-oauth-scopes']),
      retryAfter: retryAfter(headers['retry-after'], now) ?? limit?.retryAfter,
      ssoUrl,
      ...(isCutShort && {isCutShort}),
    },
  )
}

/** The error for an unexpected status. `carried` names what drv does not send to a redirect's target. */
export function unexpectedStatus(
  status: number,
  headers: Headers,
  url: string,
  carried = 'your token',
): ProtocolError {
  const {host} = new URL(url)
  const words =
    redirectWords(status, headers, url, {carried, remedy: REMEDY}) ??
    `responded with the unexpected status ${status}. Check that it is a file service.`
  return new ProtocolError(`${host} ${words}`)
}

/** What to do if the other service is the right one. */
export const REMEDY = 'set DRV_BASE_URL to its URL'

/** Says where a response redirects to and why drv does not follow; `undefined` without a location. */
export function redirectWords(
  status: number,
  {location}: Headers,
  url: string,
  {
    carried,
    remedy,
    verb = 'redirects',
  }: {readonly carried: string; readonly remedy: string; readonly verb?: string},
): string | undefined {
  const to = location === undefined ? undefined : parseUrl(location, url)
  if (!to) return undefined
  const from = new URL(url)
  if (to.origin === from.origin && to.pathname === from.pathname) {
    return `redirects the request to itself (status ${status}). Report this to the operator of the service.`
  }
  // Show the URL as the user can set it; the path on another host is irrelevant.
  const place = `${to.protocol}//${to.host}${to.origin === from.origin ? to.pathname : ''}`
  const shown = to.host === '' ? 'another URL' : printable(place, 100)
  if (to.protocol === 'http:' && !isLoopback(to)) {
    return `${verb} to ${shown} (status ${status}), where ${carried} would be unencrypted. Report this to the operator of the service.`
  }
  return `${verb} to ${shown} (status ${status}). drv does not send ${carried} there. If you trust that service, ${remedy}.`
}

/**
 * The JSON object of a successful response; throws `ProtocolError` for anything else. Integers too large for a
 * number become strings, like the 64-bit integers of this API (reference: resources.md, Encoding rules).
 */
export function jsonObject(body: string, headers: Headers, url: string): Record<string, unknown> {
  const value = parseJson(body)
  if (isObject(value)) {
    const isInexact = checkShape(value, url)
    return isInexact ? (parseJson(withLongIntegersQuoted(body)) as Record<string, unknown>) : value
  }
  const type = headers['content-type']
  throw new ProtocolError(
    `${new URL(url).host} responded with ${bodyText(body, value, type)} instead of a JSON object. Check that it is a file service.`,
    // A body that starts like an object but is not valid JSON was truncated.
    value === undefined && /^application\/json\b/i.test(type ?? '') && /^\s*(\{|$)/.test(body),
  )
}

/** What a response has instead of a JSON object. */
function bodyText(body: string, value: unknown, type: string | undefined): string {
  if (body.trim() === '') return 'an empty body'
  if (value === null) return 'null'
  if (value !== undefined) return `a JSON ${Array.isArray(value) ? 'array' : typeof value}`
  return (type && printable(type, 60)) || 'content of an unknown type'
}

/** Scopes in a header, separated by commas or spaces; `undefined` without a header. */
export function headerScopes(header: string | undefined): string[] | undefined {
  return header
    ?.split(/[,\s]+/)
    .filter(Boolean)
    .map(scope => printable(scope, 200))
}

/** Seconds to wait, from a `Retry-After` header with a number or a date (RFC 9110, section 10.2.3). */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

interface Words {
  readonly reason?: string
  readonly message?: string
  readonly location?: string
}

/** Reason, message and location in the body of an error response; `type` is its content type. */
export function refusalWords(body: string, type = ''): Words {
  let value = parseJson(body)
  // HTML is for browsers, but plain text is readable.
  if (value === undefined && /^text\/plain\b/i.test(type))
    return {message: nonEmptyText(body.trim())}
  // An operation that returns a list may return its error in a list.
  if (Array.isArray(value)) value = value[0]
  if (!isObject(value)) return {}
  const {error} = value
  if (isObject(error)) {
    const detail = firstOf(error.errors)
    return {
      reason: nonEmptyText(detail.reason) ?? nonEmptyText(error.status),
      message: nonEmptyText(error.message) ?? nonEmptyText(detail.message),
      location: nonEmptyText(detail.location),
    }
  }
  return {
    reason: nonEmptyText(error),
    message:
      nonEmptyText(value.error_description) ?? nonEmptyText(value.message) ?? nonEmptyText(error),
    location: nonEmptyText(firstOf(value.errors).field),
  }
}

function firstOf(errors: unknown): Record<string, unknown> {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  return isObject(first) ? first : {}
}

/** A quote, an escaped character, or a number. */
const QUOTE_OR_NUMBER = /"|\\.|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function withLongIntegersQuoted(body: string): string {
  const pieces: string[] = []
  let end = 0
  let isInText = false
  for (const {0: token, index} of body.matchAll(QUOTE_OR_NUMBER)) {
    if (token === '"') isInText = !isInText
    if (isInText || !/^-?\d{16,}$/.test(token) || Number.isSafeInteger(Number(token))) continue
    pieces.push(body.slice(end, index), `"${token}"`)
    end = index + token.length
  }
  return pieces.join('') + body.slice(end)
}

/** The header `X-Service-SSO` (spec: authorization.md, Errors; reference: oauth.md, section 6). */
export interface Sso {
  /** Page where the user can authorize the token for an organization; valid for an hour. */
  readonly url?: string
  /** IDs of the organizations whose results were left out. */
  readonly leftOut?: readonly string[]
}

/** Parses the header; ignores values that are not printable. */
export function readSso(header: string | undefined): Sso {
  if (header === undefined) return {}
  const parts = header.split(';').map(part => part.trim())
  const value = (name: string) =>
    parts.find(part => part.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
  const url = displayableAddress(value('url') ?? '')
  if (url !== undefined) return {url}
  if (parts[0]?.toLowerCase() !== 'partial-results') return {}
  const ids = (value('organizations') ?? '')
    .split(/[,\s]+/)
    .filter(id => /^[\w.-]{1,100}$/.test(id))
  return {leftOut: ids}
}

/** The file service's reason for a rate limit; the authorization service gives no reason for its own. */
export const RATE_LIMITED = 'rateLimitExceeded'

/** Seconds to wait if a rate limit gives no time. */
const LEAST_WAIT = 60

/**
 * Reason and seconds to wait for an error response that is a rate limit; else `undefined`. A reason from
 * the service takes precedence. The authorization service shows its limits only in headers and messages
 * (reference: oauth.md, sections 7 and 8). `now` is in milliseconds.
 */
function rateLimit(
  status: number,
  headers: Headers,
  {reason, message, ssoUrl}: {reason?: string; message: string; ssoUrl?: string},
  now: number,
): {readonly reason: string; readonly retryAfter?: number} | undefined {
  if (status !== 403 && status !== 429) return undefined
  const isSpent = headers['x-ratelimit-remaining']?.trim() === '0'
  const reset = isSpent ? secondsUntil(headers['x-ratelimit-reset'], now) : undefined
  if (reason !== undefined) {
    return /ratelimitexceeded$/i.test(reason) ? {reason, retryAfter: reset} : undefined
  }
  // The last allowed request may be refused for another reason.
  if (ssoUrl !== undefined || isLockout({status, reason: '', message})) return undefined
  if (!isSpent && !mentionsRateLimit(message)) return undefined
  return {reason: RATE_LIMITED, retryAfter: reset ?? LEAST_WAIT}
}

/** Whether an error message without a reason is about a rate limit. */
export function mentionsRateLimit(message: string): boolean {
  return /\brate limit/i.test(message)
}

/** Seconds until a Unix time, at least 1. */
function secondsUntil(time: string | undefined, now: number): number | undefined {
  if (time === undefined || !/^\d{1,12}$/.test(time.trim())) return undefined
  return Math.max(1, Math.ceil(Number(time) - now / 1000))
}
