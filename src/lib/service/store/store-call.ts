import type {Operation} from '#lib/api/operations.js'
import type {Slices} from './database/slices.js'
import type {Store} from './index.js'
import type {User} from './users.js'

/** The organization that keeps a token out, by the ID of each shared drive that it does not open. */
export type ClosedDrives = ReadonlyMap<string, number>

/** Who calls: a user, through a token, perhaps of an app. */
export interface Caller {
  readonly user: User
  readonly tokenId: number
  /** The app the token was given to; `undefined` for a personal access token. */
  readonly clientId?: string
  /** Full scope values. */
  readonly scopes: ReadonlySet<string>
  /** Shared drives that the token does not open before it is authorized for their organization. */
  readonly closedDrives?: ClosedDrives
}

/** What the store must know of a call: who asks for what, when, and in which transaction. */
export interface StoreCall extends Caller {
  readonly operation: Operation
  readonly params: object
  /** `alt` of the request: `media` asks for bytes. */
  readonly alt: 'json' | 'media'
  readonly store: Store
  /** Unix ms; the same for the whole request. */
  readonly now: number
  /** Does `work` once the transaction is on the disk; not at all when it fails. */
  afterCommit(work: () => void): void
  /**
   * Does long work after the handler and before the answer, so that other requests are answered
   * between its slices. It belongs to the same transaction, up to a pause that stands alone. Where
   * there is more than one slice the handler runs a second time, after the first was undone.
   */
  inSlices(work: Slices): void
}
