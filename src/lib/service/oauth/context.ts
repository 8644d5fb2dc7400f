import type {Allowance} from '../http/ratelimit.js'
import type {Store} from '../store/index.js'
import type {Lockout} from './guard/lockout.js'

/** What the authorization service knows besides the request. */
export interface OauthContext {
  readonly store: Store
  /** Unix ms. */
  readonly now: number
  /** The address the caller reached, without a slash at the end. */
  readonly origin: string
  /** When bad credentials lock sign-in; the service's usual numbers where it is not given. */
  readonly lockout?: Lockout
  /** Counts API requests, where they are limited. */
  readonly allowance?: Allowance
}
