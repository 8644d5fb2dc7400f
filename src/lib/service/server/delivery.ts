import {JSON_TYPE} from '#lib/api/wire.js'
import {type Message, settleMessage, takeMessages} from '#lib/service/store/channels.js'
import type {Store} from '#lib/service/store/index.js'

/** Sends the notifications of channels (reference: protocols.md, section 8). */
export interface Delivery {
  /** Checks for messages now instead of at the next poll. */
  wake(): void
  /** Sends all messages that are due now. Resolves when their receivers have responded. */
  settle(): Promise<void>
  /** Stops delivering. Running requests get one second to finish; other messages stay in the store. */
  close(): Promise<void>
}

interface DeliveryOptions {
  /** Unix ms. */
  readonly clock: () => number
  readonly fetch?: typeof fetch
  /** Called with errors of the store. The messages concerned are tried again later. */
  readonly log?: (error: unknown) => void
}

/** Time in ms between two checks for messages that are due again or come from another process. */
const POLL_INTERVAL = 1000
/** Time in ms that a receiver has to respond. */
const TIMEOUT = 10_000
/** Time in ms for which a message belongs to the process that took it: longer than any request. */
const LEASE = TIMEOUT + 10_000
/** Time in ms that `close` waits for running requests. */
const GRACE = 1000
/** Maximum number of messages sent at a time. */
const CONCURRENCY = 16

/**
 * Starts to deliver the messages of a data directory. Several processes may do so: each message
 * belongs to the process that took it until its lease ends. The messages of a channel are sent one
 * after the other.
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
    for (const message of takeMessages(store, clock(), CONCURRENCY - running.size, LEASE)) {
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

  async function settle(): Promise<void> {
    fill()
    // A message that has been sent makes the next one of its channel due.
    while (running.size > 0) {
      await Promise.all(running)
      fill()
    }
  }

  const poll = setInterval(wake, POLL_INTERVAL)
  poll.unref()
  wake()
  return {
    wake,
    settle,
    async close() {
      closing = true
      clearInterval(poll)
      const timer = setTimeout(() => stop.abort(), GRACE)
      await Promise.all(running)
      clearTimeout(timer)
    },
  }
}

/** Sends a message. Returns the HTTP status of the receiver, or `undefined` if it cannot be reached in time. */
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
      // Only the registered address may receive messages, not one it redirects to.
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT)]),
    })
    await response.body?.cancel()
    return response.status
  } catch {
    return undefined
  }
}

/** Returns the headers of a message. */
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

/** Returns the body of a message. Channels of changes get one unless they declined it; channels of a file never do. */
function messageBody({audience, payload}: Message): string {
  return audience !== null && payload === 1 ? JSON.stringify({kind: 'drive#changes'}) : ''
}
