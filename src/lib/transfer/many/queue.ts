import type {Operation} from '#lib/api/operations.js'
import {repeatOfCall} from '#lib/client/calls.js'
import {
  BATCH_LIMIT,
  type BatchCall,
  type Client,
  type Outcome,
  type Page,
} from '#lib/client/client.js'
import type {Retrying} from '#lib/client/retry/attempts.js'
import type {Repeat} from '#lib/client/retry/policy.js'

/** A planned step for one item; an error is passed on as its outcome. */
export type Planned =
  /** A call without content, which can be sent in a batch. */
  | {
      readonly call: BatchCall
      /** Whether an earlier run may have carried it out. */
      readonly isDoubtful?: boolean
      /** What to do if the service refuses it because its item has changed. */
      readonly whenStale?: WhenStale
    }
  /** Work of its own, run concurrently with others; it does its own retries and stops on the signal. */
  | {readonly work: (signal: AbortSignal) => Promise<Page | undefined>}
  | {readonly error: unknown}
  /** Sends everything planned so far, even in incomplete batches, because the source waits for it. */
  | {readonly isFlush: true}

/** Continues after a call that was refused because its item has changed. */
export interface WhenStale {
  /** Reads the item. */
  readonly read: BatchCall
  /** Returns the call for the item as it is now, which is sent once, or an error if no call is possible. */
  readonly decide: (item: Outcome) => BatchCall | {readonly error: unknown}
}

/** The outcome of the item with this index in the source. */
export type Answered = Outcome & {readonly index: number}

export interface SendMany {
  readonly client: Client
  /** How calls in batches are retried; without it they are not. */
  readonly retrying?: Retrying
  readonly signal: AbortSignal
  /**
   * Maximum number of concurrent requests (default: three batches, and as many single calls as the
   * service keeps up with).
   */
  readonly concurrency?: number
  /** Whether to send nothing new after the first failure, and end when pending requests are done. */
  readonly failFast?: boolean
  /** Whether to return outcomes as they arrive instead of in the order of the source. */
  readonly isUnordered?: boolean
  /** Opens connections in advance, up to `count` in total. */
  readonly openAhead?: (count: number) => void
  /** Registers a function to call when the service reports a rate limit. */
  readonly onRefusal?: (hear: () => void) => void
}

/** Queues calls, and decides which of them are sent together. */

/** A queued call and the state of its attempts. */
export interface QueuedCall {
  readonly index: number
  readonly call: BatchCall
  readonly operation: Operation
  readonly repeat: Repeat
  /** Calls with the same key must not be sent at the same time. */
  readonly key?: string
  /** Number of the next attempt, starting at 1. */
  attempt: number
  /** Start of the first attempt, in milliseconds. */
  since?: number
  /** Whether an earlier attempt or run may have carried it out. */
  isDoubtful: boolean
  /** Error of the last attempt. */
  error?: unknown
  readonly whenStale?: WhenStale
}

export function queueCall(
  index: number,
  {call, isDoubtful = false, whenStale}: Extract<Planned, {readonly call: BatchCall}>,
  operation: Operation,
): QueuedCall {
  return {
    index,
    call,
    operation,
    repeat: repeatOfCall(call, operation),
    key: keyOf(call),
    attempt: 1,
    isDoubtful,
    ...(whenStale && {whenStale}),
  }
}

/** The key of permission changes: of two concurrent changes to a file, the public service loses one (reference: protocols.md, section 13). */
function keyOf({id, input: {params}}: BatchCall): string | undefined {
  return /^permissions\.(insert|update|patch|delete)$/.test(id) ? String(params.fileId) : undefined
}

/** Whether a call must be sent alone: only a single call can check whether its file or drive already exists. */
function goesAlone({isDoubtful, call: {id, input}}: QueuedCall): boolean {
  return isDoubtful && (input.body?.id !== undefined || id === 'drives.insert')
}

/** How calls can be sent now. */
interface Ways {
  readonly single: boolean
  readonly batch: boolean
  /** Whether only single calls are allowed. */
  readonly isAlone: boolean
  /** Whether incomplete batches may be sent, because nothing more will come. */
  readonly isWhole: boolean
}

export function createQueue() {
  let items: QueuedCall[] = []
  const busy = new Set<string>()
  const isFree = ({key}: QueuedCall) => key === undefined || !busy.has(key)

  function choose({single, batch, isAlone, isWhole}: Ways): QueuedCall[] {
    const mayFill = items.length >= BATCH_LIMIT || items.some(({attempt}) => attempt > 1)
    if (!isAlone && !isWhole && !mayFill) return []
    const free = items.filter(isFree)
    const lone = isAlone ? free[0] : free.find(goesAlone)
    if (lone && single) return [lone]
    const others = isAlone ? [] : free.filter(item => !goesAlone(item))
    // A batch may be repeated only if all of its calls may.
    const alike = others.filter(({repeat}) => repeat === others[0]?.repeat)
    const group = alike.slice(0, BATCH_LIMIT)
    const isReady =
      isWhole || group.length === BATCH_LIMIT || group.some(({attempt}) => attempt > 1)
    return isReady && (group.length === 1 ? single : batch) ? group : []
  }

  return {
    size: () => items.length,
    add: (item: QueuedCall) => void items.push(item),
    /** Returns calls to the front of the queue for another attempt. */
    putBack(some: readonly QueuedCall[]) {
      items = [...some, ...items]
    },
    /** Removes and returns the calls for the next request; empty if nothing can be sent now. */
    next(ways: Ways): QueuedCall[] {
      const group = choose(ways)
      if (group.length === 0) return group
      const taken = new Set(group)
      items = items.filter(item => !taken.has(item))
      for (const {key} of group) if (key !== undefined) busy.add(key)
      return group
    },
    /** Marks the request with these calls as answered. */
    release(group: readonly QueuedCall[]) {
      for (const {key} of group) if (key !== undefined) busy.delete(key)
    },
  }
}

/** Outcomes, held until they can be returned in the order of the source, or in any order. */
export function createOrder(isUnordered = false) {
  const outcomes = new Map<number, Outcome>()
  /** Items sent but not done, with the error of their last attempt. */
  const open = new Map<number, unknown>()
  let given = 0
  return {
    /** Number of outcomes returned. */
    given: () => given,
    sent: (index: number) => void open.set(index, open.get(index)),
    /** Marks an item as not sent after all. */
    unsent: (index: number) => void open.delete(index),
    failed: (index: number, error: unknown) => void open.set(index, error),
    settle(index: number, outcome: Outcome): void {
      open.delete(index)
      outcomes.set(index, outcome)
    },
    /** The next outcome, if available. */
    take(): Answered | undefined {
      const [index = given] = isUnordered ? outcomes.keys() : []
      const outcome = outcomes.get(index)
      if (!outcome) return undefined
      outcomes.delete(index)
      given += 1
      return {...outcome, index}
    },
    /** All remaining outcomes; items sent without an outcome get their last error, or `error`. */
    rest(error: unknown): Answered[] {
      for (const [index, last] of open) outcomes.set(index, {error: last ?? error})
      const rest = [...outcomes].sort(([one], [other]) => one - other)
      return rest.map(([index, outcome]) => ({...outcome, index}))
    },
  }
}
