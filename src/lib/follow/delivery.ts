/** Decides from incoming notifications whether they are reliable. */

/**
 * The state of notifications:
 * - `unconfirmed`: a channel is open, but nothing has arrived yet
 * - `working`: they arrive, so that polling is only a safety net
 * - `silent`: changes are found by polling alone
 * - `lost`: the channel expired and could not be renewed
 * - `refused`: the service does not open a channel
 */
export type DeliveryState = 'unconfirmed' | 'working' | 'silent' | 'lost' | 'refused'

export interface DeliveryMonitor {
  state(): DeliveryState
  /** Whether polling can be rare. */
  isReliable(): boolean
  /** A notification arrived; `isChange` unless it only confirms the channel. */
  notified(isChange: boolean): void
  /** A request for changes ended, with changes or without. */
  polled(hasChanges: boolean): void
  failed(state: 'lost' | 'refused', error: unknown): void
}

/** Milliseconds that a notification may take, before it counts as missing. */
export const DELIVERY_PATIENCE = 20_000

/**
 * Starts as `unconfirmed`. `onState` is called when polling takes over (`silent`, `lost`, `refused`)
 * and when notifications arrive again (`working`).
 */
export function createDeliveryMonitor({
  now,
  onState,
}: {
  readonly now: () => number
  readonly onState: (state: DeliveryState, error?: unknown) => void
}): DeliveryMonitor {
  let state: DeliveryState = 'unconfirmed'
  /** Since when a notification is expected; `undefined` if none is. */
  let expectedSince: number | undefined = now()
  /** The times of the last notified change, and of the last request. */
  let announced = -Infinity
  let polled = now()

  function enter(next: DeliveryState, error?: unknown): void {
    const isNews = next !== state && !(state === 'unconfirmed' && next === 'working')
    state = next
    if (isNews) onState(next, error)
  }

  return {
    state: () => state,
    isReliable: () => state === 'working' && expectedSince === undefined,
    notified(isChange) {
      if (isChange) announced = now()
      expectedSince = undefined
      enter('working')
    },
    polled(hasChanges) {
      // A notification can come before a request that does not see its change yet.
      const isAnnounced = announced >= polled - DELIVERY_PATIENCE
      polled = now()
      if (hasChanges && !isAnnounced) expectedSince ??= now()
      const isOverdue = expectedSince !== undefined && now() - expectedSince > DELIVERY_PATIENCE
      if (isOverdue && (state === 'working' || state === 'unconfirmed')) enter('silent')
    },
    failed(next, error) {
      expectedSince = undefined
      enter(next, error)
    },
  }
}
