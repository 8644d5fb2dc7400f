import type {Operation} from '#lib/api/operations.js'
import {repeats} from '#lib/client/calls.js'
import {
  BATCH_LIMIT,
  type BatchCall,
  type Client,
  type Outcome,
  type Page,
} from '#lib/client/client.js'
import type {Retrying} from '#lib/client/retry/attempts.js'
import type {Repeat} from '#lib/client/retry/policy.js'

/** What is to be done for one thing; an error is passed on in its place. */
export type Planned =
  /** Without content: it goes with others in one request. */
  | {
      readonly call: BatchCall
      /** An earlier run may have carried it out. */
      readonly isDoubtful?: boolean
    }
  /** By itself, side by side with others; told to stop by the signal. Tries again what it can itself. */
  | {readonly work: (signal: AbortSignal) => Promise<Page | undefined>}
  | {readonly error: unknown}
  /** Nothing more comes before what was planned until now is sent: groups need not be full. */
  | {readonly isFlush: true}

/** What came of the thing that the source gave as number `index`, counted from 0. */
export type Answered = Outcome & {readonly index: number}

export interface SendMany {
  readonly client: Client
  /** How parts of batches are tried again; without it they are not. */
  readonly retrying?: Retrying
  readonly signal: AbortSignal
  /**
   * Keeps to so many requests at once; otherwise three batches, and as much work and single calls
   * as the service keeps up with.
   */
  readonly concurrency?: number
  /** Sends nothing new after the first failure, and ends once what is under way has been answered. */
  readonly failFast?: boolean
  /** Gives each outcome once it is there, rather than in the order of the source. */
  readonly isUnordered?: boolean
  /** Opens connections before they are needed, until there are so many. */
  readonly openAhead?: (count: number) => void
  /** Takes who is to hear that the service has said that there are too many requests. */
  readonly onRefusal?: (hear: () => void) => void
}

/** Calls that wait until they are sent, and which of them go together. */

/** A call, and what is known of the attempts so far. */
export interface Waiting {
  readonly index: number
  readonly call: BatchCall
  readonly operation: Operation
  readonly repeat: Repeat
  /** What no other call under way may have as well. */
  readonly key?: string
  /** Number of the next attempt, from 1. */
  attempt: number
  /** When the first one began, in milliseconds. */
  since?: number
  /** An earlier attempt, or an earlier run, may have carried it out. */
  isDoubtful: boolean
  /** What the last one failed with. */
  error?: unknown
}

export function waiting(
  index: number,
  call: BatchCall,
  operation: Operation,
  isDoubtful = false,
): Waiting {
  return {
    index,
    call,
    operation,
    repeat: repeats(call, operation),
    key: keyOf(call),
    attempt: 1,
    isDoubtful,
  }
}

/** Of two changes of one file's permissions at once the public service loses one (reference: protocols.md, section 13). */
function keyOf({id, input: {params}}: BatchCall): string | undefined {
  return /^permissions\.(insert|update|patch|delete)$/.test(id) ? String(params.fileId) : undefined
}

/** What has a name of its own by which it is found again: whether it is there only a single call finds out. */
function goesAlone({isDoubtful, call: {id, input}}: Waiting): boolean {
  return isDoubtful && (input.body?.id !== undefined || id === 'drives.insert')
}

/** How calls can go out now. */
interface Ways {
  readonly single: boolean
  readonly batch: boolean
  /** Single calls only. */
  readonly isAlone: boolean
  /** There is nothing more to wait for: a group need not be full. */
  readonly isWhole: boolean
}

export function createQueue() {
  let items: Waiting[] = []
  const busy = new Set<string>()
  const isFree = ({key}: Waiting) => key === undefined || !busy.has(key)

  function choose({single, batch, isAlone, isWhole}: Ways): Waiting[] {
    const mayFill = items.length >= BATCH_LIMIT || items.some(({attempt}) => attempt > 1)
    if (!isAlone && !isWhole && !mayFill) return []
    const free = items.filter(isFree)
    const lone = isAlone ? free[0] : free.find(goesAlone)
    if (lone && single) return [lone]
    const others = isAlone ? [] : free.filter(item => !goesAlone(item))
    // Whether a batch may be repeated is a question of all its calls.
    const alike = others.filter(({repeat}) => repeat === others[0]?.repeat)
    const group = alike.slice(0, BATCH_LIMIT)
    const isReady =
      isWhole || group.length === BATCH_LIMIT || group.some(({attempt}) => attempt > 1)
    return isReady && (group.length === 1 ? single : batch) ? group : []
  }

  return {
    size: () => items.length,
    add: (item: Waiting) => void items.push(item),
    /** For those that were sent, and come again before all others. */
    putBack(some: readonly Waiting[]) {
      items = [...some, ...items]
    },
    /** Takes out what goes out next, all with one request; nothing where there is nothing to send now. */
    next(ways: Ways): Waiting[] {
      const group = choose(ways)
      if (group.length === 0) return group
      const taken = new Set(group)
      items = items.filter(item => !taken.has(item))
      for (const {key} of group) if (key !== undefined) busy.add(key)
      return group
    },
    /** A request with these has been answered. */
    release(group: readonly Waiting[]) {
      for (const {key} of group) if (key !== undefined) busy.delete(key)
    },
  }
}

/** What came of things, kept until it can be given in their order, or in any. */
export function createOrder(isUnordered = false) {
  const outcomes = new Map<number, Outcome>()
  /** What was sent and is not done, with what the last attempt failed with. */
  const open = new Map<number, unknown>()
  let given = 0
  return {
    /** How many were given. */
    given: () => given,
    sent: (index: number) => void open.set(index, open.get(index)),
    /** It was not sent after all. */
    unsent: (index: number) => void open.delete(index),
    failed: (index: number, error: unknown) => void open.set(index, error),
    settle(index: number, outcome: Outcome): void {
      open.delete(index)
      outcomes.set(index, outcome)
    },
    /** The next one, where it is there. */
    take(): Answered | undefined {
      const [index = given] = isUnordered ? outcomes.keys() : []
      const outcome = outcomes.get(index)
      if (!outcome) return undefined
      outcomes.delete(index)
      given += 1
      return {...outcome, index}
    },
    /** All that are there, and those that were sent, with `error` where none is known. */
    rest(error: unknown): Answered[] {
      for (const [index, last] of open) outcomes.set(index, {error: last ?? error})
      const rest = [...outcomes].sort(([one], [other]) => one - other)
      return rest.map(([index, outcome]) => ({...outcome, index}))
    },
  }
}
