import {STATUS_CODES} from 'node:http'
import {isObject, textOf} from '#lib/api/validate.js'
import type {HttpResponse} from '#lib/client/transport/transport.js'
import {pageAddress} from '#lib/config/address.js'
import {printable} from '#lib/platform/sanitize.js'
import {parseJson, parseUrl} from '#lib/platform/values.js'
import {isLockout, ProtocolError, ServiceError} from './errors.js'
import {checkShape} from './limits.js'

/** What an answer means. Pure; every word of a service is made printable before it is passed on. */

type Headers = HttpResponse['headers']

/** What an answer's status says: a result, a refusal, or neither. */
type Meaning = 'result' | 'empty' | 'refusal' | 'redirect' | 'strange'

export function meaningOf(status: number): Meaning {
  if (status === 204 || status === 205) return 'empty'
  if (status >= 200 && status < 300) return 'result'
  if (status >= 400 && status < 600) return 'refusal'
  return status >= 300 && status < 400 ? 'redirect' : 'strange'
}

/**
 * The error for a refusal: the body of the file service (reference: protocols.md, section 14),
 * `{message}` (oauth.md, section 6), an OAuth error, or anything else, even nothing. `now` is in
 * milliseconds, for a `Retry-After` that is a date; `hide` takes secrets out of the service's words.
 */
export function serviceError(
  status: number,
  headers: Headers,
  body: string,
  now: number,
  hide: (text: string) => string = text => text,
): ServiceError {
  const words = refusalWords(body, headers['content-type'])
  // Once they are read: in the body a secret may be spelt with escapes.
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
      : `The service answered with status ${status}${STATUS_CODES[status] ? ` (${STATUS_CODES[status]})` : ''} and gave no reason.`,
    {
      location: location === undefined ? undefined : printable(location, 100),
      acceptedScopes: headerScopes(headers['x-accepted-oauth-scopes']),
      tokenScopes: headerScopes(headers['x-oauth-scopes']),
      retryAfter: retryAfter(headers['retry-after'], now) ?? limit?.retryAfter,
      ssoUrl,
    },
  )
}

/** The error for a response that is neither result nor refusal. `carried` would have gone with a redirect. */
export function strangeStatus(
  status: number,
  headers: Headers,
  url: string,
  carried = 'your token goes',
): ProtocolError {
  const {host} = new URL(url)
  const words =
    redirectWords(status, headers, url, {carried, remedy: 'set its address'}) ??
    `answered with status ${status}, which means nothing here. Check that the address is that of a file service.`
  return new ProtocolError(`${host} ${words}`)
}

/** Where a response redirects to, and why drv does not follow with what is `carried`; `undefined` without a location. */
export function redirectWords(
  status: number,
  {location}: Headers,
  url: string,
  {carried, remedy}: {readonly carried: string; readonly remedy: string},
): string | undefined {
  const to = location === undefined ? undefined : parseUrl(location, url)
  if (!to) return undefined
  const from = new URL(url)
  if (to.origin === from.origin && to.pathname === from.pathname) {
    return `sends requests back to where they were sent (status ${status}), so that nobody gets an answer. Tell whoever runs it.`
  }
  // As it may be set, with its scheme; the path of another place is nobody's address.
  const place = `${to.protocol}//${to.host}${to.origin === from.origin ? to.pathname : ''}`
  const shown = to.host === '' ? 'another address' : printable(place, 100)
  return `sends requests on to ${shown} (status ${status}). drv does not follow, so that ${carried} nowhere else. If that is the right place, ${remedy}.`
}

/**
 * The JSON object of a successful response; throws `ProtocolError` for anything else. Integers that a number cannot
 * hold become texts, as 64-bit integers of this API are (reference: resources.md, Encoding rules).
 */
export function jsonObject(body: string, headers: Headers, url: string): Record<string, unknown> {
  const value = parseJson(body)
  if (isObject(value)) {
    const isInexact = checkShape(value, url)
    return isInexact ? (parseJson(withLongIntegersQuoted(body)) as Record<string, unknown>) : value
  }
  const type = headers['content-type']
  throw new ProtocolError(
    `${new URL(url).host} answered with ${body === '' ? 'nothing' : (type && printable(type, 60)) || 'something'} where a JSON object belongs. Check that the address is that of a file service.`,
    // What begins as an object and does not end as one was cut on its way.
    value === undefined && /^application\/json\b/i.test(type ?? '') && /^\s*(\{|$)/.test(body),
  )
}

/** Scopes of a header, separated by commas or blanks; an empty header is an empty list. */
export function headerScopes(header: string | undefined): string[] | undefined {
  return header
    ?.split(/[,\s]+/)
    .filter(Boolean)
    .map(scope => printable(scope, 200))
}

/** Seconds to wait from a `Retry-After` header: a number, or a date (RFC 9110, section 10.2.3). */
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

/** What the body of a refusal says, in whichever of the shapes above; `type` is its content type. */
export function refusalWords(body: string, type = ''): Words {
  let value = parseJson(body)
  // Pages are for browsers, a line of text is for whoever reads it.
  if (value === undefined && /^text\/plain\b/i.test(type)) return {message: textOf(body.trim())}
  // Answers that would have been a list come with their error in a list as well.
  if (Array.isArray(value)) value = value[0]
  if (!isObject(value)) return {}
  const {error} = value
  if (isObject(error)) {
    const detail = firstOf(error.errors)
    return {
      reason: textOf(detail.reason) ?? textOf(error.status),
      message: textOf(error.message) ?? textOf(detail.message),
      location: textOf(detail.location),
    }
  }
  return {
    reason: textOf(error),
    message: textOf(value.error_description) ?? textOf(value.message) ?? textOf(error),
    location: textOf(firstOf(value.errors).field),
  }
}

function firstOf(errors: unknown): Record<string, unknown> {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  return isObject(first) ? first : {}
}

/** Where a text begins or ends, a character that is escaped in it, or what is a number outside of it. */
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

/** What the header `X-Service-SSO` says (spec: authorization.md, Errors; reference: oauth.md, section 6). */
export interface Sso {
  /** Where a person can let the token into an organization; good for an hour. */
  readonly url?: string
  /** The organizations whose results were left out. */
  readonly leftOut?: readonly string[]
}

/** Reads the header; nothing of it is taken that could not be shown as it is. */
export function readSso(header: string | undefined): Sso {
  if (header === undefined) return {}
  const parts = header.split(';').map(part => part.trim())
  const value = (name: string) =>
    parts.find(part => part.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
  const url = pageAddress(value('url') ?? '')
  if (url !== undefined) return {url}
  if (parts[0]?.toLowerCase() !== 'partial-results') return {}
  const ids = (value('organizations') ?? '')
    .split(/[,\s]+/)
    .filter(id => /^[\w.-]{1,100}$/.test(id))
  return {leftOut: ids}
}

/** The file service's name for the rate limits that the authorization service has none for. */
export const RATE_LIMITED = 'rateLimitExceeded'

/** Least seconds to wait where such a limit names no time. */
const LEAST_WAIT = 60

/**
 * The reason of a refusal that is a rate limit, and for how many seconds; `undefined` for any other. A
 * reason that the service gave itself decides; the authorization service tells of its limits by headers
 * and words alone (reference: oauth.md, sections 7 and 8). `now` is in milliseconds.
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
  // The last request of an allowance may be refused for another reason.
  if (ssoUrl !== undefined || isLockout({status, reason: '', message})) return undefined
  if (!isSpent && !speaksOfRateLimit(message)) return undefined
  return {reason: RATE_LIMITED, retryAfter: reset ?? LEAST_WAIT}
}

/** Whether the words of a refusal, which has no reason of its own, are about a rate limit. */
export function speaksOfRateLimit(message: string): boolean {
  return /\brate limit/i.test(message)
}

/** Seconds until a time in Unix seconds, at least one. */
function secondsUntil(time: string | undefined, now: number): number | undefined {
  if (time === undefined || !/^\d{1,12}$/.test(time.trim())) return undefined
  return Math.max(1, Math.ceil(Number(time) - now / 1000))
}
