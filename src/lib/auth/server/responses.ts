import {type Flow, isKnownCode, signInError} from '#lib/auth/errors.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'
import {mentionsRateLimit, RATE_LIMITED} from '#lib/client/responses.js'
import {displayableAddress} from '#lib/config/address.js'
import {isPrintable, printable} from '#lib/platform/sanitize.js'
import type {AuthFields} from './form-post.js'

/** Reads the responses of an authorization service. A known code in `error` decides; the status alone never does. */

/** The codes of the device flow, and how often to poll. */
export interface DeviceCode {
  readonly deviceCode: string
  readonly userCode: string
  /** An http(s) address of printable characters, as the service sent it. */
  readonly verificationUri: string
  /** Seconds until both codes expire. */
  readonly expiresIn: number
  /** Minimum seconds between two polls. */
  readonly interval: number
}

export interface TokenGrant {
  readonly token: string
  /** As the service sent them; `undefined`: the requested scopes (RFC 6749, section 5.1). */
  readonly scopes?: readonly string[]
  /** Milliseconds since 1970; `undefined` if the token does not expire or its expiry is unknown. */
  readonly expiresAt?: number
  /** The token that renews this one. */
  readonly refreshToken?: string
}

/** The result of a poll. */
export type Poll =
  | {readonly kind: 'authorized'; readonly grant: TokenGrant}
  | {readonly kind: 'pending'}
  | {readonly kind: 'slow_down'; readonly interval: number}
  | {readonly kind: 'unavailable'; readonly error: Error}
  | {readonly kind: 'refused'; readonly error: Error}

/** Defaults of RFC 8628, section 3.2, and of the specification, in seconds. */
const DEFAULT_INTERVAL = 5
const DEFAULT_EXPIRY = 900
/** Maximum lifetime of a code in seconds (one day), so that every delay fits a timer. */
const LONGEST = 86_400
/** Maximum plausible lifetime of a token in seconds; longer ones are ignored. */
const LONGEST_LIFE = 10 * 366 * 86_400
/** Seconds added to the interval for `slow_down` without an interval. */
const STEP = 5

/** Reads the response to a device code request; throws `SignInError`, `ServiceError` or `ProtocolError`. */
export function deviceCodeOf(status: number, fields: AuthFields): DeviceCode {
  checkRefusal(status, fields, 'device')
  const deviceCode = fields.get('device_code')
  const userCode = fields.get('user_code')
  // The older name, before RFC 8628.
  const uri = fields.get('verification_uri') ?? fields.get('verification_url')
  if (!deviceCode || !userCode || !uri) throw strange(status, fields)
  if (!isPrintable(userCode, 40)) throw strange(status, fields)
  return {deviceCode, userCode, verificationUri: checkVerificationUri(uri), ...timesIn(fields)}
}

/** Reads the times of a device code; throws `ProtocolError` if they leave no time to sign in. */
function timesIn(fields: AuthFields): Pick<DeviceCode, 'expiresIn' | 'interval'> {
  const expiry = seconds(fields.get('expires_in')) ?? DEFAULT_EXPIRY
  const interval = Math.max(1, seconds(fields.get('interval')) ?? DEFAULT_INTERVAL)
  if (interval >= expiry) throw intervalError(interval, expiry)
  if (interval > LONGEST) throw intervalError(interval)
  return {expiresIn: Math.min(expiry, LONGEST), interval}
}

/** The error for a polling interval that is too long; `expiry` is that of the code, in seconds. */
export function intervalError(interval: number, expiry?: number): ProtocolError {
  const reason =
    expiry === undefined
      ? 'but drv waits at most 24 hours'
      : `but its code expires after ${expiry} s`
  return new ProtocolError(
    `The authorization service requires ${interval} s between polls, ${reason}. Report this to the operator of the service.`,
  )
}

/** Reads the response to a poll; `interval` is the current one in seconds, `sentAt` the time of the request (Unix ms). */
export function pollOf(
  status: number,
  fields: AuthFields,
  interval: number,
  sentAt?: number,
): Poll {
  const error = fields.get('error')
  if (error === 'authorization_pending') return {kind: 'pending'}
  if (error === 'slow_down') {
    const given = seconds(fields.get('interval'))
    return {
      kind: 'slow_down',
      interval: given !== undefined && given > interval ? given : interval + STEP,
    }
  }
  try {
    return {kind: 'authorized', grant: grantOf(status, fields, 'device', sentAt)}
  } catch (error) {
    const kind = error instanceof ServiceError ? 'unavailable' : 'refused'
    return {kind, error: error as Error}
  }
}

/**
 * Reads a token response. Throws `SignInError` for a rejection, `ServiceError` if the service is busy, and
 * `ProtocolError` for anything else, such as a token that is not valid in a header or not a bearer token (RFC 6749,
 * 7.1). The lifetime counts from `sentAt`, the time of the request (Unix ms).
 */
export function grantOf(
  status: number,
  fields: AuthFields,
  flow: Flow = 'web',
  sentAt?: number,
): TokenGrant {
  checkRefusal(status, fields, flow)
  const token = fields.get('access_token')
  const isGrant = token && /^[\x21-\x7E]+$/.test(token) && status >= 200 && status < 300
  if (!isGrant) throw strange(status, fields)
  const type = fields.get('token_type') ?? 'bearer'
  if (type.toLowerCase() !== 'bearer') {
    const named = type === '' ? 'without a valid type' : `of the type "${printable(type, 40)}"`
    throw new ProtocolError(
      `The authorization service returned a token ${named}. drv supports only bearer tokens.`,
    )
  }
  const scope = fields.get('scope')
  const life = seconds(fields.get('expires_in')) ?? 0
  const isDated = sentAt !== undefined && life > 0 && life <= LONGEST_LIFE
  const refreshToken = fields.get('refresh_token')
  return {
    token,
    scopes: scope === undefined ? undefined : splitScopes(scope),
    ...(isDated && {expiresAt: sentAt + life * 1000}),
    ...(refreshToken && {refreshToken}),
  }
}

/** Scopes of an answer: separated by commas, or by blanks as others send them. */
export function splitScopes(text: string): readonly string[] {
  return text.split(/[,\s]+/).filter(Boolean)
}

/** Checks an address to open in a browser; throws `ProtocolError` unless it is printable http(s). */
export function checkVerificationUri(text: string): string {
  const address = displayableAddress(text)
  if (address !== undefined) return address
  throw new ProtocolError('The authorization service returned an invalid URL for the browser.')
}

/**
 * Throws the `SignInError` for the `error` of a response. A busy service may use `error` too, with a code of its own:
 * that is not a rejection but a `ServiceError`, and is retried (RFC 8628, section 3.5).
 */
function checkRefusal(status: number, fields: AuthFields, flow: Flow): void {
  const code = fields.get('error')
  if (code === undefined) return
  if (isBusy(status) && !isKnownCode(code)) throw busy(status, fields)
  throw signInError(code, fields.get('error_description'), flow)
}

/** Whether a status means that the service failed or limits requests. */
function isBusy(status: number): boolean {
  return status >= 500 || status === 429 || status === 408
}

/** The error for an unexpected response: the service failed, limits requests (reference: oauth.md, section 8), or is not an authorization service. */
function strange(status: number, fields: AuthFields): Error {
  const message = fields.get('message')
  const isLimit = status === 403 && mentionsRateLimit(message ?? '')
  if (isLimit || isBusy(status)) return busy(status, fields)
  return new ProtocolError(
    `The authorization service returned status ${status} with an unexpected response.`,
  )
}

/** The error for a busy service. */
function busy(status: number, fields: AuthFields): ServiceError {
  const words =
    fields.get('message') ??
    fields.get('error_description') ??
    `The authorization service returned status ${status}`
  const reason = status === 403 ? RATE_LIMITED : (fields.get('reason') ?? fields.get('error') ?? '')
  return new ServiceError(status, printable(reason, 100), printable(words))
}

/** Seconds, rounded up; `undefined` for text that is not a number. */
function seconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(\.\d+)?$/.test(text) ? Math.ceil(Number(text)) : undefined
}
