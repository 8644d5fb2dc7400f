import {randomBytes} from 'node:crypto'
import type {CallInput, Client, Page} from '#lib/client/client.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'
import type {ChannelEntry} from './channels.js'
import type {ChannelNotification, NotificationReceiver} from './receiver.js'
import {openedChannel} from './record-channels.js'
import {createWake, type InterruptibleSleep} from './wake.js'

/** Keeps a notification channel open: opens it, renews it before it expires, and stops it at the end. */

/** A channel as the service has opened it. */
export type OpenedChannel = Pick<ChannelEntry, 'id' | 'resourceId' | 'expires'>

export interface SubscriptionOptions {
  /** Sends a request with the current sign-in. */
  readonly call: Client['call']
  readonly id: 'changes.watch' | 'files.watch'
  /** The request, without the fields that identify the channel. */
  readonly input: Pick<CallInput, 'params' | 'body'>
  /** The URL to which the service sends notifications. */
  readonly address: string
  readonly receiver: NotificationReceiver
  /** Milliseconds (default: one hour). A channel that is not stopped stays open that long. */
  readonly lifetime?: number
  readonly now: () => number
  readonly sleep: InterruptibleSleep
  readonly newId: () => string
  readonly onNotification: (notification: ChannelNotification) => void
  /** Called when a channel is open, the first or a renewed one. */
  readonly onOpen: (channel: OpenedChannel) => Promise<void> | void
  /** Called when no channel can be opened; `isLost` if none is open anymore. Returns whether to try again. */
  readonly onFailure: (error: unknown, isLost: boolean) => boolean
}

export interface Subscription {
  /** Resolves when the first attempt to open a channel has succeeded or failed. */
  readonly first: Promise<void>
  /** Opens a new channel now, because the current one seems not to work. */
  renew(): void
  /** Stops the channel. Errors are ignored, because it expires anyway. */
  close(): Promise<void>
}

const LIFETIME = 3_600_000
/** The longest wait, because timers stand still while a laptop sleeps. */
const NAP = 60_000
/** Milliseconds after a failure before the next attempt: doubled each time, up to the longest one. */
const FIRST_PAUSE = 10_000
const LONGEST_PAUSE = 300_000
/** Milliseconds that the service has to stop a channel at the end. */
const GRACE = 5000
/** Number of bytes of a token. */
const TOKEN_BYTES = 32

interface OpenChannel extends OpenedChannel {
  /** The end by the clock of this machine, in Unix ms. */
  readonly ends: number
  readonly renewal: number
}

/** Opens a channel and keeps it open until `close`. */
export function subscribe(options: SubscriptionOptions): Subscription {
  const {call, now, sleep, receiver, lifetime = LIFETIME} = options
  const wake = createWake()
  let current: OpenChannel | undefined
  let isClosing = false
  let isRenewing = false
  let onFirst: () => void
  const first = new Promise<void>(resolve => (onFirst = resolve))

  async function open(): Promise<OpenChannel> {
    const id = options.newId()
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const seen = new Set<number>()
    let isAbandoned = false
    let heard: string | undefined
    const expected = {
      id,
      token,
      resourceId: undefined as string | undefined,
      onNotification(notification: ChannelNotification) {
        heard = notification.resourceId
        if (isAbandoned) void stop({id, resourceId: heard})
        else if (!isRepeated(seen, notification)) options.onNotification(notification)
      },
    }
    // The first notification can come before the response.
    receiver.expect(expected)
    const started = now()
    try {
      const {params, body} = options.input
      const ttl = String(Math.round(lifetime / 1000))
      const fields = {id, type: 'web_hook', address: options.address, token, params: {ttl}}
      const response = await call(options.id, {params, body: {...body, ...fields}})
      const opened = openedIn(response)
      expected.resourceId = opened.resourceId
      const left = lifetimeLeft(opened.expires, now(), lifetime)
      return {...opened, ends: started + left, renewal: started + renewalDelay(left)}
    } catch (error) {
      // If only the response was lost, a notification contains the resource ID, which is needed to stop the
      // channel.
      isAbandoned = !(error instanceof ServiceError)
      if (!isAbandoned) receiver.forget(id)
      else if (heard !== undefined) void stop({id, resourceId: heard})
      throw error
    }
  }

  /** Stops a channel. Afterwards the service no longer has it, or it expires anyway. */
  async function stop({id, resourceId}: Pick<OpenedChannel, 'id' | 'resourceId'>): Promise<void> {
    await call('channels.stop', {params: {}, body: {id, resourceId}}).catch(() => undefined)
    receiver.forget(id)
  }

  async function keep(): Promise<void> {
    for (let failures = 0; !isClosing;) {
      try {
        const opened = await open()
        failures = 0
        const previous = current
        current = opened
        await options.onOpen(opened)
        if (previous) await stop(previous)
        onFirst()
        await waitUntil(opened.renewal)
      } catch (error) {
        failures += 1
        const isLost = current === undefined || current.ends <= now()
        if (isLost && current) receiver.forget(current.id)
        if (isLost) current = undefined
        const goesOn = !isClosing && options.onFailure(error, isLost)
        onFirst()
        if (!goesOn) return
        await waitUntil(Math.min(now() + retryPause(failures), current?.ends ?? Infinity))
      }
    }
  }

  async function waitUntil(time: number): Promise<void> {
    while (!isClosing && !isRenewing && now() < time) {
      await wake.wait(Math.min(time - now(), NAP), sleep)
    }
    isRenewing = false
  }

  // An interrupted wait ends the command.
  const kept = keep().catch(() => undefined)
  return {
    first,
    renew() {
      isRenewing = true
      wake.wake()
    },
    async close() {
      isClosing = true
      wake.wake()
      const ending = new AbortController()
      const end = kept.then(() => current && stop(current))
      await Promise.race([end, sleep(GRACE, ending.signal).catch(() => undefined)])
      ending.abort()
    },
  }
}

function openedIn(response: Page | undefined): OpenedChannel {
  const opened = openedChannel(response)
  if (opened) return opened
  throw new ProtocolError('The service opened a channel, but returned no resource ID.')
}

/** Whether a notification was received before: the service repeats it if our response was lost. */
function isRepeated(seen: Set<number>, {number}: ChannelNotification): boolean {
  if (number === undefined) return false
  if (seen.has(number)) return true
  seen.add(number)
  const [oldest] = seen
  if (seen.size > 1000) seen.delete(oldest!)
  return false
}

/**
 * Milliseconds for which a channel stays open. An expiration that does not fit the requested lifetime comes from a
 * different clock.
 */
export function lifetimeLeft(expires: number | undefined, now: number, requested: number): number {
  const left = expires === undefined ? requested : expires - now
  return left > 0 && left <= requested ? left : requested
}

/** Milliseconds after which a channel is renewed: a fifth of its lifetime before the end, at most ten minutes. */
export function renewalDelay(lifetime: number): number {
  return lifetime - Math.min(lifetime / 5, 600_000)
}

/** Milliseconds before the next attempt to open a channel. */
export function retryPause(failures: number): number {
  return Math.min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE)
}
