import type {ServiceRequest} from '#lib/service/http/message.js'
import type {Allowance} from '#lib/service/http/rate-limit.js'
import type {Store} from '#lib/service/store/index.js'

/** The hashes of an owner's secrets, in a service that one command runs for itself. */
export interface OwnerCheck {
  readonly secretHash: string
  /** The hash of the key for pages. */
  readonly keyHash: string
}

/** Decides sign-ins instead of a person: approves them as a user, denies them, or leaves them pending. */
export type Approval = {readonly user: string} | 'deny' | 'never'

/** One request to the authorization service. */
export interface OauthCall {
  readonly request: ServiceRequest
  readonly store: Store
  /** Unix ms. */
  readonly now: number
  /** Counts API requests; missing if they are not limited. */
  readonly allowance?: Allowance
  /** Set if only the command that started the service may sign in. */
  readonly owner?: OwnerCheck
  /** Whether the file service publishes its issuer (RFC 9728). */
  readonly namesIssuer?: boolean
  /** Seconds between the polls of a device sign-in (default: 5). */
  readonly pollInterval?: number
  /** Decides sign-ins instead of a person (default: a person decides). */
  readonly approval?: Approval
  /** The app or organization in the path; empty for other paths. */
  readonly name: string
}
