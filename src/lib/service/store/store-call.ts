import type {Operation} from '#lib/api/operations.js'
import type {Slices} from './database/slices.js'
import type {Store} from './index.js'
import type {User} from './users.js'

/** The IDs of shared drives that a token cannot access, each with the ID of the organization that denies it. */
export type ClosedDrives = ReadonlyMap<string, number>

/** The caller of a request: a user with a token, possibly of an app. */
export interface Caller {
  readonly user: User
  readonly tokenId: number
  /** The app of the token; `undefined` for a personal access token. */
  readonly clientId?: string
  /** Full scope values. */
  readonly scopes: ReadonlySet<string>
  /** Shared drives that the token cannot access until it is authorized for their organization. */
  readonly closedDrives?: ClosedDrives
}

/** The parts of a call that the store needs. */
export interface StoreCall extends Caller {
  readonly operation: Operation
  readonly params: object
  /** `alt` of the request; `media` requests content. */
  readonly alt: 'json' | 'media'
  readonly store: Store
  /** Unix ms; the same for the whole request. */
  readonly now: number
  /** Runs `work` once the transaction is on disk, but not if it fails. */
  afterCommit(work: () => void): void
  /**
   * Runs long work after the handler and before the response, so that other requests are served
   * between its slices. It belongs to the same transaction, up to the first commit point. If there is
   * more than one slice, the transaction is rolled back and the handler runs again.
   */
  inSlices(work: Slices): void
}
