import {callOperation, requestOf} from '#lib/client/calls.js'
import {BATCH_LIMIT, type BatchCall, type Client, type Outcome} from '#lib/client/client.js'
import {NetworkError, ProxyError, UnprovenTokenError} from '#lib/client/errors.js'
import type {Outbound, Sender} from '#lib/client/request.js'
import {refusesToken} from '#lib/client/tokenguard.js'
import {createPost} from './post.js'

/**
 * Many calls in one request live here (reference: protocols.md, section 7). Which calls are worth it
 * is for the caller to say.
 *
 * Bad credentials count one by one within a batch, so that one batch would lock its sender out: none
 * goes with a token that no single request has proven.
 */

/** The most characters that the address of a call in a batch may have (reference: protocols.md, section 7). */
const LONGEST_ADDRESS = 8000

/** A call on its way. */
interface Sending {
  readonly index: number
  readonly call: BatchCall
  readonly request: Outbound
}

/** `Client.batch` of a sender. `now` in milliseconds, for times to wait that are dates. */
export function createBatches(sender: Sender, now: () => number): Client['batch'] {
  const {origin} = new URL(sender.baseUrl)
  const post = createPost(sender, now)
  const inTurn = createTurns()

  /** What came of a call by itself. Throws what would fail any other as well. */
  async function single({call: {id, input}}: Sending): Promise<Outcome> {
    try {
      return {record: await callOperation(sender, id, input)}
    } catch (error) {
      const isForAll =
        refusesToken(error) || error instanceof NetworkError || error instanceof ProxyError
      if (isForAll || !(await sender.isProven())) throw error
      return {error}
    }
  }

  /** The outcome of a call that went as the proof; `undefined` where others have brought it meanwhile. */
  const prove = (call: Sending) =>
    inTurn(async () => ((await sender.isProven()) ? undefined : await single(call)))

  return async calls => {
    if (!post.isThere()) return undefined
    const all = calls.map((call, index): Sending => ({
      index,
      call,
      request: requestOf(sender.baseUrl, sender.operation(call.id), call.input),
    }))
    const isLong = ({request: {url}}: Sending) => url.length - origin.length > LONGEST_ADDRESS
    const left = [...all.filter(isLong), ...all.filter(call => !isLong(call))]
    const outcomes = new Map<number, Outcome>()

    /** Brings some calls further; whether the service has batches. */
    async function advance(first: Sending): Promise<boolean> {
      if (!(await sender.isProven())) {
        const outcome = await prove(first)
        if (outcome) outcomes.set(left.shift()!.index, outcome)
        return true
      }
      // Where some are done already, the caller cannot be told to send them all otherwise.
      if (isLong(first) || (outcomes.size > 0 && !post.isThere())) {
        const outcome = await single(first)
        outcomes.set(left.shift()!.index, outcome)
        return true
      }
      const some = left.slice(0, BATCH_LIMIT)
      const answers = await post.send(some)
      if (!answers) return outcomes.size > 0
      for (const [at, {index}] of some.entries()) outcomes.set(index, answers[at]!)
      left.splice(0, some.length)
      return true
    }

    while (left.length > 0) {
      try {
        if (!(await advance(left[0]!))) return undefined
      } catch (error) {
        // The token has just become another.
        if (error instanceof UnprovenTokenError) continue
        if (refusesToken(error) || outcomes.size === 0) throw error
        for (const {index} of left.splice(0)) outcomes.set(index, {error})
      }
    }
    return calls.map((_, index) => outcomes.get(index)!)
  }
}

/** Does one work after the other, whatever becomes of them. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}
