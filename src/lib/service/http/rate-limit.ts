import {failure} from '#lib/service/errors.js'
import {type Count, type Counts, isDiskFailure} from '#lib/service/store/counts.js'

/**
 * Maximum number of API requests per hour (reference: oauth.md, section 8). All tokens and apps of a
 * user share one count. Requests without a valid token are counted by IP address.
 */
export interface RateLimit {
  readonly authenticated: number
  readonly anonymous: number
}

/** The subject of a count: a user, an app that authenticates with its secret, or an IP address. */
export type RateLimitSubject = `user:${number}` | `app:${string}` | `address:${string}`

/** The rate limit of one subject, as `GET /rate_limit` returns it. */
export interface Rate {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** When the count restarts, in Unix seconds. */
  readonly reset: number
}

/** Counts the requests of all processes that use a data directory. */
export interface Allowance {
  /** Counts a request and returns the rate limit headers. Throws 403 `rateLimitExceeded` above the limit. */
  take(subject: RateLimitSubject, now: number): Readonly<Record<string, string>>
  /** Uncounts a request and returns the updated headers. */
  giveBack(subject: RateLimitSubject, now: number): Readonly<Record<string, string>>
  rateOf(subject: RateLimitSubject, now: number): Rate
}

const HOUR = 60 * 60 * 1000

export function createAllowance(
  {authenticated, anonymous}: RateLimit,
  counts: Omit<Counts, 'clear' | 'close'>,
): Allowance {
  const limitOf = (subject: RateLimitSubject) =>
    subject.startsWith('address:') ? anonymous : authenticated
  const rateOf = (subject: RateLimitSubject, now: number): Rate =>
    rateFrom(counts.of(subject, now) ?? {used: 0, ends_at: now + HOUR}, limitOf(subject))

  return {
    rateOf,
    take(subject, now) {
      const limit = limitOf(subject)
      const count = unlessDiskFails(() => counts.add(subject, {now, end: now + HOUR, limit}))
      if (count) return rateHeaders(rateFrom(count, limit))
      const rate = rateOf(subject, now)
      if (rate.remaining === 0) throw exceeded(rate, now)
      return rateHeaders(rate)
    },
    giveBack(subject, now) {
      unlessDiskFails(() => counts.takeBack(subject, now))
      return rateHeaders(rateOf(subject, now))
    },
  }
}

function rateFrom({used, ends_at}: Count, limit: number): Rate {
  return {limit, used, remaining: Math.max(0, limit - used), reset: Math.ceil(ends_at / 1000)}
}

/** The result of `write`, or `undefined` if the disk is full or fails: requests that only read must still work. */
function unlessDiskFails<T>(write: () => T): T | undefined {
  try {
    return write()
  } catch (error) {
    if (!isDiskFailure(error)) throw error
    return undefined
  }
}

/** The rate limit headers (reference: oauth.md, section 7). */
function rateHeaders({limit, remaining, used, reset}: Rate): Record<string, string> {
  return {
    'X-RateLimit-Limit': `${limit}`,
    'X-RateLimit-Remaining': `${remaining}`,
    'X-RateLimit-Used': `${used}`,
    'X-RateLimit-Reset': `${reset}`,
    'X-RateLimit-Resource': 'core',
  }
}

function exceeded(rate: Rate, now: number) {
  const seconds = Math.max(1, rate.reset - Math.floor(now / 1000))
  return failure(
    403,
    'rateLimitExceeded',
    `API rate limit exceeded: ${rate.limit} requests an hour. Try again in ${Math.ceil(seconds / 60)} min.`,
    undefined,
    {...rateHeaders(rate), 'Retry-After': `${seconds}`},
  )
}
