import {isLockout} from '#lib/client/tokenguard.js'
import type {HttpResponse} from '#lib/client/transport/transport.js'

/** Rate limits as the authorization service tells of them: by headers and words (reference: oauth.md, sections 7 and 8). Pure. */

/** The file service's name for what the authorization service has none for. */
export const RATE_LIMITED = 'rateLimitExceeded'

/** Least seconds to wait where such a limit names no time. */
const LEAST = 60

/**
 * What is behind a refusal that is a rate limit, and for how many seconds; `undefined` for any
 * other. A reason that the service gave itself decides. `now` is in milliseconds.
 */
export function rateLimit(
  status: number,
  headers: HttpResponse['headers'],
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
  return {reason: RATE_LIMITED, retryAfter: reset ?? LEAST}
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
