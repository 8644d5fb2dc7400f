import {failure} from '#lib/service/errors.js'
import {type Count, type Counts, isDiskFailure} from '#lib/service/store/counts.js'

/**
 * How many API requests may be made within an hour (reference: oauth.md, section 8). All tokens and
 * apps of a user share one count; who shows no token that works is counted by address.
 */
export interface RateLimit {
  readonly authenticated: number
  readonly anonymous: number
}

/** Who is counted: a user, an app with its secret, or an address. */
export type Subject = `user:${number}` | `app:${string}` | `address:${string}`

/** What is left for one subject, as `GET /rate_limit` tells it. */
export interface Rate {
  readonly limit: number
  readonly used: number
  readonly remaining: number
  /** When the count starts anew, in Unix seconds. */
  readonly reset: number
}

/** Counts the requests of all processes on a data directory. */
export interface Allowance {
  /** Counts a request. Throws 403 `rateLimitExceeded` when there were too many. Returns what the answer says of it. */
  take(subject: Subject, now: number): Readonly<Record<string, string>>
  /** Takes a request back that does not count after all, and returns the headers anew. */
  giveBack(subject: Subject, now: number): Readonly<Record<string, string>>
  rateOf(subject: Subject, now: number): Rate
}

const HOUR = 60 * 60 * 1000

export function createAllowance(
  {authenticated, anonymous}: RateLimit,
  counts: Omit<Counts, 'close'>,
): Allowance {
  const limitOf = (subject: Subject) => (subject.startsWith('address:') ? anonymous : authenticated)
  const rateOf = (subject: Subject, now: number): Rate =>
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

/** `undefined` when the disk is full or does not work: whoever only reads is to be served all the same. */
function unlessDiskFails<T>(write: () => T): T | undefined {
  try {
    return write()
  } catch (error) {
    if (!isDiskFailure(error)) throw error
    return undefined
  }
}

/** The headers that tell what is left (reference: oauth.md, section 7). */
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
