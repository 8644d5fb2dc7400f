import type {Client} from '#lib/client/client.js'
import type {ChangeList, FollowCheckpoint} from './checkpoint.js'
import type {FollowedChange} from './interpret.js'
import type {KnownStates} from './known-states.js'
import type {Polling} from './poll.js'
import type {Wake} from './wake.js'

/** The parts that a follower is made of. */

/** Receives changes in order. */
export interface ChangeReceiver {
  /** Resolves when it is ready for more; `done` resolves once the change was handed over. */
  accept(change: FollowedChange): Promise<{readonly done: Promise<void>}>
  /** Resolves when everything that was accepted has been handed over. */
  settle(): Promise<void>
}

/** How one list of changes is polled. */
export interface ListPolling extends Pick<Polling, 'limits'> {
  readonly wake: Wake
  /** Called after each request for changes. */
  readonly onPolled?: (hasChanges: boolean) => void
}

export interface FollowOptions extends Pick<Polling, 'sleep' | 'onOutage' | 'onRecovery'> {
  readonly client: Client
  /** Resolves with a client that has a new sign-in; `undefined` to give up. */
  readonly onSignedOut: (error: unknown) => Promise<Client | undefined>
  /** Must have a beginning. */
  readonly checkpoint: FollowCheckpoint
  readonly known: KnownStates
  readonly receiver: ChangeReceiver
  readonly polling: (list: ChangeList) => ListPolling
  /** Whether to end once no changes are pending; then an outage is an error. */
  readonly isOnce: boolean
  /** Whether to leave out a change. */
  readonly isIgnored: (change: FollowedChange) => boolean
  /** Called when the service no longer accepts the page token, before the items are listed. */
  readonly onExpired: () => void
  readonly signal: AbortSignal
}
