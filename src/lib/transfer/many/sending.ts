import {setMaxListeners} from 'node:events'
import {setImmediate} from 'node:timers/promises'
import {isStale} from '#lib/client/calls.js'
import {BATCH_LIMIT, type Outcome, type Page} from '#lib/client/client.js'
import {isForAll} from '#lib/client/retry/attempts.js'
import {classifyFailure} from '#lib/client/retry/policy.js'
import {gatherCalls} from '#lib/transfer/remote/gather.js'
import {afterRefusal, afterSuccess, firstPace, limitAhead} from './pace.js'
import {
  type Answered,
  createOrder,
  createQueue,
  type Planned,
  queueCall,
  type QueuedCall,
  type SendMany,
} from './queue.js'
import {createReader} from './reader.js'
import {createJudge, type RetryVerdict, verdictOn} from './verdict.js'

/** Default number of concurrent batches. */
const BATCHES = 3
/** Number of batches to read ahead of those being sent, until the first outcome is taken. */
const AHEAD = 2

/** A step that is sent alone. */
interface Lone {
  readonly index: number
  readonly work: (signal: AbortSignal) => Promise<Page | undefined>
  /** The queued call, if it is one. */
  readonly item?: QueuedCall
}

/** Reads planned steps, sends them, and holds their outcomes until they are taken. */
export function createSending(source: AsyncIterator<Planned>, options: SendMany) {
  const {client, retrying, signal, concurrency, failFast = false, onRefusal, openAhead} = options
  const now = retrying?.now ?? Date.now
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  // Every request adds a listener, and there may be many.
  setMaxListeners(0, signal, both)

  const order = createOrder(options.isUnordered)
  const queue = createQueue()
  const works: Lone[] = []
  const judge = createJudge()
  const underWay = {batches: 0, singles: 0}
  const pace = {
    batches: firstPace(now(), concurrency ?? BATCHES),
    singles: firstPace(now(), concurrency),
  }
  const most = (pace.batches.most + AHEAD) * BATCH_LIMIT
  let count = 0
  /** Whether the token is proven; `undefined` before the check. */
  let isProven: boolean | undefined
  let hasBatches = true
  /** Whether to send all queued calls, even as an incomplete batch. */
  let isFlushed = false
  let ending: {readonly error?: unknown; readonly isAtOnce?: boolean} | undefined
  let wake = () => {}

  const isIdle = () => underWay.batches + underWay.singles === 0
  const interrupt = () => end({error: signal.reason, isAtOnce: true})

  function refused(): void {
    pace.batches = afterRefusal(pace.batches, now())
    pace.singles = afterRefusal(pace.singles, now())
  }

  function end(how: NonNullable<typeof ending>): void {
    if (ending) return
    ending = how
    if ('error' in how) stop.abort(how.error)
    wake()
  }

  function settle(index: number, outcome: Outcome): void {
    order.settle(index, outcome)
    if (!('error' in outcome)) judge.succeeded()
    else if (judge.failed(outcome.error)) end({error: outcome.error})
    else if (failFast) end({})
    wake()
  }

  const reader = createReader(source, {
    isWanted: () =>
      !ending && works.length === 0 && queue.size() < BATCH_LIMIT && count - order.given() < most,
    accept(planned) {
      if ('isFlush' in planned) {
        isFlushed = true
        return
      }
      const index = count++
      if ('error' in planned) settle(index, planned)
      else if ('work' in planned) works.push({index, work: planned.work})
      else queue.add(queueCall(index, planned, client.operation(planned.call.id)))
    },
    changed: advance,
    failed: error => end({error}),
  })

  /** Sends all requests that are ready, then continues reading. */
  function advance(): void {
    reader.read()
    while (!ending && sendNext());
    reader.read()
    wake()
  }

  /** Sends the next request; false if nothing can be sent now. */
  function sendNext(): boolean {
    if (queue.size() === 0) isFlushed = false
    if (works.length + queue.size() === 0) return false
    if (isProven === undefined) void askForProof()
    if (isProven === undefined || (!isProven && !isIdle())) return false
    const single = underWay.singles < pace.singles.limit
    if (single && works.length > 0) {
      void sendAlone(works.shift()!)
      return true
    }
    const group = queue.next({
      single,
      batch: underWay.batches < pace.batches.limit,
      isAlone: !hasBatches || !isProven,
      isWhole: isFlushed || reader.isDone() || (isIdle() && reader.isStalled()),
    })
    const [item] = group
    if (!item) return false
    if (group.length > 1) void sendBatch(group)
    else void sendAlone({index: item.index, work: () => callOf(item), item})
    return true
  }

  let isAsked = false
  async function askForProof(): Promise<void> {
    if (isAsked) return
    isAsked = true
    const proof = client.proven().then(
      () => {
        isProven = true
      },
      // The first request reports why there is no token.
      () => undefined,
    )
    void proof.then(advance)
    // If the token is already proven, `proof` resolves first.
    await Promise.race([proof, setImmediate()])
    isProven ??= false
    advance()
  }

  function callOf({call: {id, input}, isDoubtful}: QueuedCall): Promise<Page | undefined> {
    return client.call(id, isDoubtful ? {...input, mayBeDone: true} : input)
  }

  async function sendAlone({index, work, item}: Lone): Promise<void> {
    underWay.singles += 1
    order.sent(index)
    let outcome: Outcome
    try {
      outcome = {record: await work(both)}
      pace.singles = afterSuccess(pace.singles, now())
      if (!reader.isDone()) openAhead?.(limitAhead(pace.singles))
    } catch (error) {
      outcome = {error}
      if (classifyFailure(error).kind === 'rate') refused()
    }
    underWay.singles -= 1
    if (item) queue.release([item])
    if (item && isRefusedAsStale(item, outcome)) void decideAnew([item])
    else settle(index, outcome)
    advance()
  }

  async function sendBatch(some: readonly QueuedCall[]): Promise<void> {
    const began = now()
    const group = some.map(item => ({...item, since: item.since ?? began}))
    underWay.batches += 1
    for (const {index} of group) order.sent(index)
    const result = await client
      .batch(group.map(({call}) => call))
      .catch((error: unknown) => ({error}))
    underWay.batches -= 1
    queue.release(group)
    if (!result) {
      hasBatches = false
      for (const {index, error} of group) if (error === undefined) order.unsent(index)
      queue.putBack(group)
    } else if ('error' in result) {
      // The client has already retried it; the outcome is the same for all calls.
      for (const {index} of group) settle(index, result)
    } else {
      pace.batches = afterSuccess(pace.batches, now())
      sort(group, result)
    }
    advance()
  }

  /** Records the outcomes of a batch, and schedules retries. */
  function sort(group: readonly QueuedCall[], outcomes: readonly Outcome[]): void {
    const facts = {
      now: now(),
      random: retrying?.random() ?? 0,
      hasProgressed: outcomes.some(outcome => 'record' in outcome),
    }
    const again: RetryVerdict[] = []
    const stale: QueuedCall[] = []
    for (const [at, item] of group.entries()) {
      const verdict = verdictOn(item, outcomes[at]!, retrying, facts)
      if ('delay' in verdict) again.push(verdict)
      else if (isRefusedAsStale(item, verdict)) stale.push(item)
      else settle(item.index, verdict)
    }
    if (again.length > 0) void sendLater(again)
    if (stale.length > 0) void decideAnew(stale)
  }

  /** Reads the changed items of refused calls together, and returns the calls that fit them to the queue. */
  async function decideAnew(stale: readonly QueuedCall[]): Promise<void> {
    underWay.batches += 1
    const items = await gatherCalls(client).batch(stale.map(({whenStale}) => whenStale!.read))
    underWay.batches -= 1
    const again = stale.flatMap(({index, attempt, whenStale}, at) => {
      const decided = whenStale!.decide(items![at]!)
      if ('id' in decided) {
        const item = queueCall(index, {call: decided}, client.operation(decided.id))
        return [{...item, attempt: attempt + 1}]
      }
      settle(index, decided)
      return []
    })
    queue.putBack(again)
    advance()
  }

  /** Returns calls to the queue after the longest of their delays. */
  async function sendLater(again: readonly RetryVerdict[]): Promise<void> {
    const {item, error, fault, delay} = again.reduce((one, other) =>
      other.delay > one.delay ? other : one,
    )
    for (const {item, error} of again) order.failed(item.index, error)
    if (again.some(({fault}) => fault.kind === 'rate')) refused()
    retrying?.onRetry?.(error, delay, item.attempt - 1)
    try {
      if (isForAll(fault)) await retrying?.limiter?.pause(delay)
      await retrying?.sleep(delay)
      queue.putBack(again.map(({item}) => item))
    } catch {
      // The command was interrupted.
      for (const {item, error} of again) settle(item.index, {error})
    }
    advance()
  }

  signal.addEventListener('abort', interrupt, {once: true})
  if (signal.aborted) interrupt()
  onRefusal?.(refused)
  reader.read()

  return {
    /** The next outcome, in order. */
    take(): Answered | undefined {
      const answered = order.take()
      if (answered) reader.read()
      return answered
    },
    isOver(): boolean {
      if (ending) return ending.isAtOnce === true || isIdle()
      return reader.isDone() && order.given() === count
    },
    /** Resolves when there may be a new outcome. */
    change: () => new Promise<void>(resolve => (wake = resolve)),
    /** The remaining outcomes after the end. */
    rest: (): Answered[] => order.rest(ending?.error),
    /** Throws the error that ended the run early. */
    check(): void {
      if (ending && 'error' in ending) throw ending.error
    },
    close(): void {
      end({})
      reader.close()
      signal.removeEventListener('abort', interrupt)
    },
  }
}

/** Whether a call can go on although its item has changed. */
function isRefusedAsStale({whenStale}: QueuedCall, outcome: Outcome): boolean {
  return whenStale !== undefined && 'error' in outcome && isStale(outcome.error)
}
