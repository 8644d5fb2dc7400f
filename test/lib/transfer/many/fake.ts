import {operation, type OperationId} from '#lib/api/operations.js'
import type {BatchCall, CallInput, Client, Outcome, Page} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {withRetries} from '#lib/client/retry/attempts.js'
import type {Answered, Planned, SendMany} from '#lib/transfer/many/queue.js'
import {sendMany} from '#lib/transfer/many/send-many.js'

/** A service that responds as a test says, and records its requests. */

export const turn = () => new Promise<void>(resolve => setImmediate(resolve))
export async function turns(count = 20): Promise<void> {
  for (let at = 0; at < count; at++) await turn()
}

export const trash = (fileId: string): BatchCall => ({id: 'files.trash', input: {params: {fileId}}})
export const call = (
  id: OperationId,
  params: CallInput['params'],
  body?: CallInput['body'],
): Planned => ({call: {id, input: {params, body}}})
export const trashes = (count: number): Planned[] =>
  Array.from({length: count}, (_, index) => ({call: trash(`f${index}`)}))

export const rate = (retryAfter?: number) =>
  new ServiceError(429, 'rateLimitExceeded', 'Slow down.', {retryAfter})
export const failing = (status = 503) => new ServiceError(status, '', 'It failed.')
export const missing = () => new ServiceError(404, 'notFound', 'There is no such file.')

interface FakeOptions {
  /** The outcome of a call; `attempt` counts attempts of the same call from 1. */
  readonly answer?: (call: BatchCall, attempt: number) => Outcome | Promise<Outcome>
  readonly hasBatches?: boolean
  /** Resolves when the token is proven. */
  readonly proven?: () => Promise<void>
  /** Fails a whole batch. */
  readonly failBatch?: (number: number) => unknown
  /** Called before each response. */
  readonly wait?: (calls: readonly BatchCall[]) => Promise<void>
}

export function fakeService({
  answer = ({input}) => ({record: {id: input.params.fileId}}),
  hasBatches = true,
  proven = async () => undefined,
  failBatch,
  wait = turn,
}: FakeOptions = {}) {
  /** The calls of each request; a single call is a list of one. */
  const requests: BatchCall[][] = []
  const seen = new Map<string, number>()
  let underWay = 0
  let most = 0
  let batches = 0
  const answerTo = async (one: BatchCall): Promise<Outcome> => {
    const {mayBeDone: _, ...input} = one.input
    const key = JSON.stringify([one.id, input])
    const attempt = (seen.get(key) ?? 0) + 1
    seen.set(key, attempt)
    return answer(one, attempt)
  }
  const request = async (calls: readonly BatchCall[]) => {
    requests.push([...calls])
    most = Math.max(most, ++underWay)
    try {
      await wait(calls)
      return await Promise.all(calls.map(answerTo))
    } finally {
      underWay -= 1
    }
  }
  const client: Pick<Client, 'operation' | 'call' | 'batch' | 'persist' | 'proven'> = {
    operation,
    proven,
    persist: work =>
      withRetries(
        {now: () => 0, sleep: async () => undefined, random: () => 0},
        {repeat: 'safe', persistent: true},
        (_, progressed) => work(progressed),
      ),
    async call(id, input): Promise<Page | undefined> {
      const [outcome] = await request([{id, input}])
      if ('error' in outcome!) throw outcome.error
      return outcome!.record
    },
    async batch(calls) {
      if (!hasBatches) return undefined
      const error = failBatch?.(++batches)
      if (error === undefined) return request(calls)
      requests.push([...calls])
      await turn()
      throw error
    },
  }
  return {
    client: client as Client,
    requests,
    /** The number of calls in each request. */
    sizes: () => requests.map(({length}) => length),
    most: () => most,
  }
}

/** A clock that sleeping advances. */
export function clock() {
  let time = 0
  const slept: number[] = []
  const paused: number[] = []
  const retrying = {
    now: () => time,
    sleep: async (milliseconds: number) => {
      slept.push(milliseconds)
      await turn()
      time += milliseconds
    },
    random: () => 0.5,
    limiter: {ready: async () => undefined, pause: async (ms: number) => void paused.push(ms)},
  }
  return {retrying, slept, paused}
}

export async function* all(planned: Iterable<Planned>): AsyncGenerator<Planned> {
  yield* planned
}

export function run(
  source: AsyncIterable<Planned> | Iterable<Planned>,
  client: Client,
  options: Partial<SendMany> = {},
): AsyncGenerator<Answered> {
  const planned = Symbol.asyncIterator in source ? source : all(source)
  return sendMany(planned, {client, signal: new AbortController().signal, ...options})
}

/** The outcomes, and the error at the end. */
export async function collect(
  answers: AsyncIterable<Answered>,
): Promise<{readonly got: Answered[]; readonly thrown?: unknown}> {
  const got: Answered[] = []
  try {
    for await (const answered of answers) got.push(answered)
    return {got}
  } catch (thrown) {
    return {got, thrown}
  }
}

export const isFine = (answered: Answered) => 'record' in answered
export const indexes = (answers: readonly Answered[]) => answers.map(({index}) => index)
export const upTo = (count: number) => Array.from({length: count}, (_, index) => index)
