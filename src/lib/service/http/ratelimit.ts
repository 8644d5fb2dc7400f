import {failure} from '../errors.js'

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

/** Counts the requests of one process. */
export interface Allowance {
  /** Counts a request. Throws 403 `rateLimitExceeded` when there were too many. Returns what the answer says of it. */
  take(subject: Subject, now: number): Readonly<Record<string, string>>
  /** Takes a request back that does not count after all, and returns the headers anew. */
  giveBack(subject: Subject, now: number): Readonly<Record<string, string>>
  rateOf(subject: Subject, now: number): Rate
}

const HOUR = 60 * 60 * 1000
/** Above this many subjects, those whose hour is over are forgotten. */
const MANY = 1000

export function createAllowance({authenticated, anonymous}: RateLimit): Allowance {
  const counts = new Map<Subject, {used: number; readonly end: number}>()

  const countOf = (subject: Subject, now: number) => {
    const known = counts.get(subject)
    if (known && now < known.end) return known
    if (counts.size > MANY) {
      for (const [name, {end}] of counts) if (now >= end) counts.delete(name)
    }
    const fresh = {used: 0, end: now + HOUR}
    counts.set(subject, fresh)
    return fresh
  }
  const rateOf = (subject: Subject, now: number): Rate => {
    const {used, end} = countOf(subject, now)
    const limit = subject.startsWith('address:') ? anonymous : authenticated
    return {limit, used, remaining: Math.max(0, limit - used), reset: Math.ceil(end / 1000)}
  }

  return {
    rateOf,
    take(subject, now) {
      const rate = rateOf(subject, now)
      if (rate.remaining === 0) throw exceeded(rate, now)
      countOf(subject, now).used++
      return rateHeaders(rateOf(subject, now))
    },
    giveBack(subject, now) {
      const count = countOf(subject, now)
      count.used = Math.max(0, count.used - 1)
      return rateHeaders(rateOf(subject, now))
    },
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
