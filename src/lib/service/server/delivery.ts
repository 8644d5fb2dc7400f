import {JSON_TYPE} from '#lib/api/wire.js'
import {type Message, settleMessage, takeMessages} from '#lib/service/store/channels.js'
import type {Store} from '#lib/service/store/index.js'

/** Sends the messages of channels (reference: protocols.md, section 8). */
export interface Delivery {
  /** Looks for messages now instead of at the next poll. */
  wake(): void
  /** Ends it. What is being sent has a moment to arrive; what is left waits in the store. */
  close(): Promise<void>
}

interface DeliveryOptions {
  /** Unix ms. */
  readonly clock: () => number
  readonly fetch?: typeof fetch
  /** Told of what went wrong in the store; the messages concerned wait for their next turn. */
  readonly log?: (error: unknown) => void
}

/** Between two looks for what is due again, or was put there by another process, in ms. */
const POLL_INTERVAL = 1000
/** How long a receiver may take, in ms. */
const TIMEOUT = 10_000
/** How long a message belongs to the process that took it: longer than any sending. */
const LEASE = TIMEOUT + 10_000
/** How long `close` waits, in ms. */
const LAST_MOMENT = 1000
/** Receivers that are served at the same time. */
const AT_ONCE = 16

/**
 * Starts to deliver the messages of a data directory. Several processes may: each message belongs
 * to the one that took it, until its lease ends. The messages of a channel go one by one.
 */
export function startDelivery(store: Store, options: DeliveryOptions): Delivery {
  const {clock, fetch: send = fetch, log = () => {}} = options
  const running = new Set<Promise<void>>()
  const stop = new AbortController()
  let woken = false
  let closing = false

  function wake(): void {
    if (woken || closing) return
    woken = true
    setImmediate(() => {
      woken = false
      if (closing) return
      try {
        fill()
      } catch (error) {
        log(error)
      }
    })
  }

  function fill(): void {
    for (const message of takeMessages(store, clock(), AT_ONCE - running.size, LEASE)) {
      const work = deliver(message)
        .catch(log)
        .finally(() => {
          running.delete(work)
          wake()
        })
      running.add(work)
    }
  }

  async function deliver(message: Message): Promise<void> {
    const status = await post(message, send, stop.signal)
    settleMessage(store, message, status, clock())
  }

  const poll = setInterval(wake, POLL_INTERVAL)
  poll.unref()
  wake()
  return {
    wake,
    async close() {
      closing = true
      clearInterval(poll)
      const moment = setTimeout(() => stop.abort(), LAST_MOMENT)
      await Promise.all(running)
      clearTimeout(moment)
    },
  }
}

/** Sends a message; the receiver's status, or `undefined` when it cannot be reached in time. */
async function post(
  message: Message,
  send: typeof fetch,
  stop: AbortSignal,
): Promise<number | undefined> {
  try {
    const response = await send(message.address, {
      method: 'POST',
      headers: messageHeaders(message),
      body: messageBody(message),
      // Whoever answers elsewhere was not asked to listen.
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT)]),
    })
    await response.body?.cancel()
    return response.status
  } catch {
    return undefined
  }
}

/** All headers of a message; their names stand nowhere else. */
function messageHeaders(message: Message): Record<string, string> {
  const {token, changed} = message
  return {
    'X-Goog-Channel-ID': message.id,
    ...(token !== null && {'X-Goog-Channel-Token': token}),
    'X-Goog-Channel-Expiration': new Date(message.expires_at).toUTCString(),
    'X-Goog-Resource-ID': message.resource_id,
    'X-Goog-Resource-URI': message.resource_uri,
    'X-Goog-Resource-State': message.state,
    ...(changed !== null && {'X-Goog-Changed': changed}),
    'X-Goog-Message-Number': String(message.number),
    ...(messageBody(message) !== '' && {'Content-Type': JSON_TYPE}),
  }
}

/** Followers of changes get a body unless they asked for none; watchers of a file never do. */
function messageBody({audience, payload}: Message): string {
  return audience !== null && payload === 1 ? JSON.stringify({kind: 'drive#changes'}) : ''
}
