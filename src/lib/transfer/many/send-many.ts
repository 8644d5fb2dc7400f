import {setMaxListeners} from 'node:events'
import {setImmediate} from 'node:timers/promises'
import {BATCH_LIMIT, type Outcome, type Page} from '#lib/client/client.js'
import {isForAll} from '#lib/client/retry/attempts.js'
import {classifyFailure} from '#lib/client/retry/policy.js'
import {afterRefusal, afterSuccess, firstPace, limitAhead} from './pace.js'
import {
  type Answered,
  createOrder,
  createQueue,
  type Planned,
  type SendMany,
  type Waiting,
  waiting,
} from './queue.js'
import {createReader} from './reader.js'
import {type Again, createJudge, verdictOn} from './verdict.js'

/** Batches under way where nobody chose. */
const BATCHES = 3
/** Groups that are read beyond those under way, before the first of their outcomes is taken. */
const AHEAD = 2

/** What goes by itself. */
interface Lone {
  readonly index: number
  readonly work: (signal: AbortSignal) => Promise<Page | undefined>
  /** The call that it is, if it is one. */
  readonly item?: Waiting
}

/** Reads what is to be done, sends it, and keeps what came of it until that is taken. */
export function createSending(source: AsyncIterator<Planned>, options: SendMany) {
  const {client, retrying, signal, concurrency, failFast = false, onRefusal, openAhead} = options
  const now = retrying?.now ?? Date.now
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  // Each request and each work listens, and there may be many.
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
  /** Whether the token is proven, as far as that is known; `undefined` before anybody asked. */
  let isProven: boolean | undefined
  let hasBatches = true
  /** All that waits goes out, even in a group that is not full. */
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
      else
        queue.add(
          waiting(index, planned.call, client.operation(planned.call.id), planned.isDoubtful),
        )
    },
    changed: advance,
    failed: error => end({error}),
  })

  /** Sends what may be sent now, and reads on. */
  function advance(): void {
    reader.read()
    while (!ending && sendNext());
    reader.read()
    wake()
  }

  /** Whether something was sent. */
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
      // The first request will say why there is no token.
      () => undefined,
    )
    void proof.then(advance)
    // One that is known already is known by then.
    await Promise.race([proof, setImmediate()])
    isProven ??= false
    advance()
  }

  function callOf({call: {id, input}, isDoubtful}: Waiting): Promise<Page | undefined> {
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
    settle(index, outcome)
    advance()
  }

  async function sendBatch(some: readonly Waiting[]): Promise<void> {
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
      // It was tried as often as may be: all in it are alike.
      for (const {index} of group) settle(index, result)
    } else {
      pace.batches = afterSuccess(pace.batches, now())
      sort(group, result)
    }
    advance()
  }

  /** Takes down what came of the calls of a batch, and has those tried again that may be. */
  function sort(group: readonly Waiting[], outcomes: readonly Outcome[]): void {
    const facts = {
      now: now(),
      random: retrying?.random() ?? 0,
      hasProgressed: outcomes.some(outcome => 'record' in outcome),
    }
    const again: Again[] = []
    for (const [at, item] of group.entries()) {
      const verdict = verdictOn(item, outcomes[at]!, retrying, facts)
      if ('delay' in verdict) again.push(verdict)
      else settle(item.index, verdict)
    }
    if (again.length > 0) void sendLater(again)
  }

  /** Puts calls back into the queue when the longest of their delays is over. */
  async function sendLater(again: readonly Again[]): Promise<void> {
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
      // The command ends.
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
    /** Resolves when there may be something new. */
    change: () => new Promise<void>(resolve => (wake = resolve)),
    /** What is known once it is over, beyond what was taken. */
    rest: (): Answered[] => order.rest(ending?.error),
    /** Throws what ended it early. */
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

/**
 * Does what the source plans, and gives what came of each in its order. Groups are full while the
 * source is fast; when nothing is under way and the source has nothing at hand, what there is goes
 * out at once. The source is read a few groups ahead of what was consumed, and no farther.
 *
 * Until the service is known to take the token one thing is under way at a time: bad credentials
 * count one by one and lock their owner out. Changes of one file's permissions are in one batch or
 * one after the other, for of two at once one gets lost.
 *
 * What is refused for the rate, or fails in doubt and may be repeated, is tried again with what is
 * under way besides. An error that concerns all ends everything once what is under way has been
 * answered, and is thrown after the outcomes that there are, in order; the signal's reason likewise,
 * at once. What was sent and has no answer by then has that error as its outcome; what has no
 * outcome was never sent. With `failFast` it ends the same way, but throws nothing.
 */
export async function* sendMany(
  source: AsyncIterable<Planned>,
  options: SendMany,
): AsyncGenerator<Answered, void, undefined> {
  const sending = createSending(source[Symbol.asyncIterator](), options)
  try {
    for (;;) {
      const answered = sending.take()
      if (answered) yield answered
      else if (sending.isOver()) break
      else await sending.change()
    }
    yield* sending.rest()
    sending.check()
  } finally {
    sending.close()
  }
}
