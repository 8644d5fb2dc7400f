import type {ServiceRequest} from '#lib/service/http/message.js'
import type {Allowance} from '#lib/service/http/rate-limit.js'
import type {Store} from '#lib/service/store/index.js'

/** What a service that one command runs for itself knows of the command's secrets: their hashes. */
export interface OwnerCheck {
  readonly secretHash: string
  /** Of the key of the pages. */
  readonly keyHash: string
}

/** One request to the authorization service. */
export interface OauthCall {
  readonly request: ServiceRequest
  readonly store: Store
  /** Unix ms. */
  readonly now: number
  /** Counts API requests, where they are limited. */
  readonly allowance?: Allowance
  /** Set where one command runs the service for itself: nobody else may sign in. */
  readonly owner?: OwnerCheck
  /** The file service names the issuer of its tokens (RFC 9728). */
  readonly namesIssuer?: boolean
  /** The app or the organization that the path names; empty where it names none. */
  readonly name: string
}
