import type {Client, ParameterTexts} from '#lib/client/client.js'
import {refusesToken, ServiceError} from '#lib/client/errors.js'
import {createDeliveryMonitor, type DeliveryState} from './delivery.js'
import {outageOf, POLL_LIMITS, type PollLimits} from './poll.js'
import type {NotificationReceiver} from './receiver.js'
import {type OpenedChannel, subscribe} from './subscription.js'
import type {InterruptibleSleep, Wake} from './wake.js'

/**
 * Ends the waits of a follower when a notification arrives. The follower still polls: rarely while notifications
 * arrive, and at the normal rate when they stop. So no change is missed, and none is returned twice.
 */

export interface ListenOptions {
  /** Sends a request with the current sign-in, even after an interruption. */
  readonly call: Client['call']
  /** The parameters of `changes.list` that select the changes. */
  readonly params: ParameterTexts
  /** The URL to which the service sends notifications. */
  readonly address: string
  readonly receiver: NotificationReceiver
  readonly wake: Wake
  readonly now: () => number
  readonly sleep: InterruptibleSleep
  readonly newId: () => string
  readonly onOpen: (channel: OpenedChannel) => Promise<void> | void
  /** Called when polling takes over from notifications, and when they arrive again. */
  readonly onState: (state: DeliveryState, error?: unknown) => void
  /** Milliseconds (default: one hour). */
  readonly lifetime?: number
}

export interface Listener {
  /** The time between two requests while nothing arrives. */
  limits(): PollLimits
  /** Must be called after each request for changes. */
  polled(hasChanges: boolean): void
  /** Stops the channel. */
  close(): Promise<void>
}

/** The time between two requests while notifications arrive, in milliseconds. */
const RARE: PollLimits = {shortest: POLL_LIMITS.longest, longest: POLL_LIMITS.longest}

/** Opens a channel for changes, while the follower already asks for them. */
export function listen(options: ListenOptions): Listener {
  const {wake, now, onState, params} = options
  const delivery = createDeliveryMonitor({
    now,
    onState(state, error) {
      onState(state, error)
      // Another process may have stopped it.
      if (state === 'silent') subscription.renew()
      // The wait in progress belongs to the previous state.
      if (state !== 'working') wake.wake()
    },
  })
  const subscription = subscribe({
    ...options,
    id: 'changes.watch',
    input: {params: watchParams(params), body: {payload: false}},
    onNotification({state}) {
      delivery.notified(state !== 'sync')
      wake.wake()
    },
    async onOpen(channel) {
      await options.onOpen(channel)
      // Changes before the channel was open are not notified.
      wake.wake()
    },
    onFailure(error, isLost) {
      const isFinal = delivery.state() === 'unconfirmed' && isRefusal(error)
      if (isLost) delivery.failed(isFinal ? 'refused' : 'lost', error)
      return !isFinal
    },
  })
  return {
    limits: () => (delivery.isReliable() ? RARE : POLL_LIMITS),
    polled: delivery.polled,
    close: subscription.close,
  }
}

/** Whether the service refuses the channel itself. */
function isRefusal(error: unknown): boolean {
  const isResponse = error instanceof ServiceError && !refusesToken(error)
  return isResponse && outageOf(error, true) === undefined
}

/** The parameters that `changes.watch` shares with `changes.list` and that select changes. */
function watchParams({fields, maxResults, pageToken, ...params}: ParameterTexts): ParameterTexts {
  return params
}
