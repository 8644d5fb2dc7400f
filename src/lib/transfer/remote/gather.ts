import {setImmediate as nextTurn} from 'node:timers/promises'
import {
  BATCH_LIMIT,
  type BatchCall,
  type Client,
  type Outcome,
  type Page,
} from '#lib/client/client.js'
import {isLockout, ProtocolError, ServiceError} from '#lib/client/errors.js'
import {eachPage} from '#lib/client/pages.js'
import {classifyFailure, isTemporary} from '#lib/client/retry/policy.js'
import {inGroups} from '#lib/platform/values.js'

/** How concurrent questions are answered together. */
interface Together<Question, Answer> {
  /** A key that is equal for equal questions. */
  readonly keyOf: (question: Question) => string
  /** Calls `work` once no caller can continue without an answer. */
  readonly later: (work: () => void) => void
  /** Answers for all questions, in order. */
  readonly answer: (questions: readonly Question[]) => ReadonlyArray<Promise<Answer>>
}

/** A function for one question that is answered together with others. Equal questions are asked once. */
export function createCombiner<Question, Answer>({
  keyOf,
  later,
  answer,
}: Together<Question, Answer>): (question: Question) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>()
  let waiting: Array<{readonly question: Question; resolve(answer: Promise<Answer>): void}> = []

  function answerAll(): void {
    const asked = waiting
    waiting = []
    const answers = answer(asked.map(({question}) => question))
    for (const [index, {resolve}] of asked.entries()) resolve(answers[index]!)
  }

  return question => {
    const key = keyOf(question)
    const asked =
      known.get(key) ??
      new Promise<Answer>(resolve => {
        if (waiting.push({question, resolve}) === 1) later(answerAll)
      })
    known.set(key, asked)
    return asked
  }
}

/** Maximum number of lists in a batch; each may return a thousand records. */
const LISTS = 25
/** Maximum number of concurrent batches, and of calls if the service has no batches. */
const WIDTH = {batches: 3, calls: 8}

/**
 * A client that combines concurrent reads. When all callers are waiting, their calls are sent together,
 * in batches or concurrently. Equal calls are sent once, so use it only for reading, and not for long.
 * Temporary failures are retried. Unless the token is proven, the first call is sent alone to prove it. An error that
 * concerns all calls, such as a refused token, is returned for all later ones.
 */
export function gatherCalls(client: Client): Client {
  const send = createSending(client)
  let round: Promise<unknown> = Promise.resolve()
  const call = createCombiner<BatchCall, Page | undefined>({
    keyOf: ({id, input: {params}}) => JSON.stringify([id, params]),
    later: work => void round.then(() => setImmediate(work)),
    answer(calls) {
      const outcomes = send(calls)
      round = outcomes
      return calls.map(async (_, index) => {
        const outcome = (await outcomes)[index]!
        if ('error' in outcome) throw outcome.error
        return outcome.record
      })
    },
  })
  return {
    ...client,
    call: (id, input) => call({id, input}),
    pages: (id, input) => eachPage(params => call({id, input: {...input, params}}), input.params),
    batch: calls => Promise.all(calls.map(one => outcomeOf(call(one)))),
  }
}

/** Whether an error concerns only its own call. */
export function isOfOneCall(error: unknown): boolean {
  if (error instanceof ProtocolError) return true
  return error instanceof ServiceError && error.status !== 401 && !isLockout(error)
}

function createSending(client: Client) {
  let isProven = false
  let hasBatches = true
  let end: {readonly error: unknown} | undefined

  async function alone(call: BatchCall): Promise<Outcome> {
    return end ?? noted(await outcomeOf(client.call(call.id, call.input)))
  }

  async function together(calls: readonly BatchCall[]): Promise<Outcome[]> {
    if (end) return calls.map(() => end!)
    const outcomes = calls.length > 1 && hasBatches ? await batched(client, calls) : undefined
    if (outcomes) return outcomes.map(noted)
    hasBatches &&= calls.length === 1
    return eachOf(calls, WIDTH.calls, async call => [await alone(call)])
  }

  function noted(outcome: Outcome): Outcome {
    if ('error' in outcome && !isOfOneCall(outcome.error)) end ??= outcome
    return outcome
  }

  /** Sends calls and returns their outcomes; never throws. */
  return async (calls: readonly BatchCall[]): Promise<Outcome[]> => {
    isProven ||= await isTokenProven(client)
    const first = isProven ? [] : [await alone(calls[0]!)]
    isProven = true
    const others = await eachOf(packed(calls.slice(first.length)), WIDTH.batches, together)
    return [...first, ...others]
  }
}

/** The calls for each batch, in order. */
function packed(calls: readonly BatchCall[]): BatchCall[][] {
  const packs: BatchCall[][] = []
  let room = 0
  for (const call of calls) {
    const share = call.id.endsWith('.list') ? 1 / LISTS : 1 / BATCH_LIMIT
    room -= share
    // Half a share of tolerance for rounding errors.
    if (room > -share / 2) packs.at(-1)!.push(call)
    else {
      packs.push([call])
      room = 1 - share
    }
  }
  return packs
}

/** Whether the service is known to accept the current token. */
async function isTokenProven(client: Client): Promise<boolean> {
  const proof = client.proven().then(
    () => true,
    // The first request reports why there is no token.
    () => false,
  )
  return Promise.race([proof, nextTurn(false)])
}

/** Results for some groups, `width` of them at a time. */
async function eachOf<T, R>(
  groups: readonly T[],
  width: number,
  work: (group: T) => Promise<R[]>,
): Promise<R[]> {
  const results: R[] = []
  for (const some of inGroups(groups, width)) {
    results.push(...(await Promise.all(some.map(work))).flat())
  }
  return results
}

/**
 * The outcomes of calls in a batch, retrying temporary failures. `undefined` if the service has no
 * batches, or its response cannot be read, for example because it is too long.
 */
async function batched(
  client: Client,
  calls: readonly BatchCall[],
): Promise<Outcome[] | undefined> {
  const outcomes = new Map<BatchCall, Outcome>()
  let left = calls
  try {
    await client.persist(async progressed => {
      let isRefused = false
      const answers = await client.batch(left).catch((error: unknown) => {
        // The client has already retried a refusal of the whole batch.
        isRefused = classifyFailure(error).kind === 'rate'
        if (isRefused) return left.map(() => ({error}))
        throw error
      })
      if (!answers) return
      for (const [index, answer] of answers.entries()) outcomes.set(left[index]!, answer)
      const again = isRefused ? [] : left.filter(call => mayPass(outcomes.get(call)!))
      if (again.length < left.length) progressed()
      left = again
      const failed = again[0] && outcomes.get(again[0])
      if (failed && 'error' in failed) throw failed.error
    })
  } catch (error) {
    if (outcomes.size > 0 || !(error instanceof ProtocolError)) {
      return calls.map(call => outcomes.get(call) ?? {error})
    }
  }
  return outcomes.size > 0 ? calls.map(call => outcomes.get(call)!) : undefined
}

function mayPass(outcome: Outcome): boolean {
  return 'error' in outcome && isTemporary(outcome.error)
}

function outcomeOf(answer: Promise<Page | undefined>): Promise<Outcome> {
  return answer.then(
    record => ({record}),
    (error: unknown) => ({error}),
  )
}
