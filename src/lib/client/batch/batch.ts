import {randomUUID} from 'node:crypto'
import {hasRecord} from '#lib/api/operations.js'
import type {RestDescription} from '#lib/api/types.js'
import {buildRequest, callOperation, isStale, repeatOfCall} from '#lib/client/calls.js'
import {BATCH_LIMIT, type BatchCall, type Client, type Outcome} from '#lib/client/client.js'
import {
  isIdTaken,
  isNotFound,
  NetworkError,
  ProtocolError,
  ProxyError,
  refusesToken,
  ServiceError,
  TokenRenewedError,
  UnprovenTokenError,
} from '#lib/client/errors.js'
import {readJsonText} from '#lib/client/read-response.js'
import {hiddenHeaders, type Outbound, type Sender} from '#lib/client/request.js'
import {jsonObject, serviceError, statusMeaning, unexpectedStatus} from '#lib/client/responses.js'
import {markDoubtful} from '#lib/client/retry/attempts.js'
import {type AnswerPart, batchAnswers, batchBody} from './multipart.js'

/**
 * Sends many calls in one request (reference: protocols.md, section 7). The caller decides which calls
 * to batch.
 *
 * The service counts each call of a batch with a bad token as a failed sign-in, so a single batch could
 * lock the user out. A batch is therefore sent only with a token that the service has accepted before.
 */

/** Maximum number of characters in the URL of a call in a batch (reference: protocols.md, section 7). */
const LONGEST_ADDRESS = 8000

/** A call to send. */
interface Sending {
  readonly index: number
  readonly call: BatchCall
  readonly request: Outbound
}

/** `Client.batch` for a sender. `now` returns milliseconds, for `Retry-After` dates. */
export function createBatches(sender: Sender, now: () => number): Client['batch'] {
  const {origin} = new URL(sender.baseUrl)
  const post = createBatchPost(sender, now)
  const inTurn = createTurns()

  /** Sends a call on its own and returns its outcome. Throws errors that would fail any other call too. */
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

  /** Sends a call to prove the token; `undefined` if another call has proven it meanwhile. */
  const prove = (call: Sending) =>
    inTurn(async () => ((await sender.isProven()) ? undefined : await single(call)))

  return async calls => {
    if (!post.isSupported()) return undefined
    const all = calls.map((call, index): Sending => ({
      index,
      call,
      request: buildRequest(sender.baseUrl, sender.operation(call.id), call.input),
    }))
    const isLong = ({request: {url}}: Sending) => url.length - origin.length > LONGEST_ADDRESS
    const left = [...all.filter(isLong), ...all.filter(call => !isLong(call))]
    const outcomes = new Map<number, Outcome>()

    /** Sends the next calls; false if the service does not support batches. */
    async function advance(first: Sending): Promise<boolean> {
      if (!(await sender.isProven())) {
        const outcome = await prove(first)
        if (outcome) outcomes.set(left.shift()!.index, outcome)
        return true
      }
      // Once some calls are done, it is too late to return `undefined`: send the rest one by one.
      if (isLong(first) || (outcomes.size > 0 && !post.isSupported())) {
        const outcome = await single(first)
        outcomes.set(left.shift()!.index, outcome)
        return true
      }
      const some = left.slice(0, BATCH_LIMIT)
      const answers = await post.send(some)
      if (!answers) return outcomes.size > 0
      const isLeft = (answer: Outcome) =>
        'error' in answer && answer.error instanceof TokenRenewedError
      for (const [at, {index}] of some.entries()) {
        if (!isLeft(answers[at]!)) outcomes.set(index, answers[at]!)
      }
      left.splice(0, some.length, ...some.filter((_, at) => isLeft(answers[at]!)))
      return true
    }

    while (left.length > 0) {
      try {
        if (!(await advance(left[0]!))) return undefined
      } catch (error) {
        // The token was replaced just now.
        if (error instanceof UnprovenTokenError) continue
        if (refusesToken(error) || outcomes.size === 0) throw error
        for (const {index} of left.splice(0)) outcomes.set(index, {error})
      }
    }
    return calls.map((_, index) => outcomes.get(index)!)
  }
}

/** Runs one task after the other, even if some fail. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}

/** Sends batches to the path that accepts them, and remembers that path. */
function createBatchPost(sender: Sender, now: () => number) {
  const {origin} = new URL(sender.baseUrl)
  /** Candidate paths; the first is used, and paths that do not exist are removed. */
  const paths = pathsOf(sender.document)
  let isKnown = false
  /** Pending while a batch finds out which path accepts batches. */
  let finding: Promise<void> | undefined

  /** Sends a batch to `path`; calls `onTaken` once the path has accepted it. */
  async function exchange(path: string, parts: readonly Sending[], onTaken: () => void) {
    const boundary = `drv-${randomUUID()}`
    const url = `${sender.baseUrl}/${path}`
    const body = batchBody(
      parts.map(({request: {method, url, headers = {}, body}}) => ({
        method,
        path: url.slice(origin.length),
        headers,
        body: body as string | undefined,
      })),
      boundary,
    )
    const isSafe = parts.every(({call}) => repeatOfCall(call, sender.operation(call.id)) === 'safe')
    const headers = {'content-type': `multipart/mixed; boundary=${boundary}`}
    let token: string | undefined
    const onToken = (sent: string | undefined) => void (token = sent)
    const request = {method: 'POST', url, headers, body, needsProof: true, onToken}
    return sender.retry({repeat: isSafe ? 'safe' : 'unsafe'}, async ({isDoubtful}) => {
      const response = await sender.send(request)
      onTaken()
      const text = await readJsonText(response, sender.reading(url))
      return {
        answers: batchAnswers(response.headers['content-type'], text, parts.length).map(answer => ({
          ...answer,
          headers: hiddenHeaders(answer.headers, sender.hide),
        })),
        isDoubtful,
        token,
      }
    })
  }

  /** The outcome of a call that an earlier attempt may already have carried out. */
  async function settled(outcome: Outcome, {id, input}: BatchCall): Promise<Outcome> {
    if (!('error' in outcome)) return outcome
    const {httpMethod} = sender.operation(id)
    if (httpMethod === 'DELETE' && isNotFound(outcome.error)) return {record: undefined}
    const isTaken = httpMethod === 'POST' && isIdTaken(outcome.error)
    if (!isTaken && !isStale(outcome.error)) return outcome
    try {
      return {record: await callOperation(sender, id, {...input, mayBeDone: true})}
    } catch (error) {
      return {error}
    }
  }

  return {
    /** Whether the service may support batches. */
    isSupported: () => paths.length > 0,

    /** The outcomes of at most a hundred calls; `undefined` if the service does not support batches. */
    async send(parts: readonly Sending[]): Promise<Outcome[] | undefined> {
      for (;;) {
        while (finding) await finding
        const [path] = paths
        if (path === undefined) return undefined
        let found = () => {}
        if (!isKnown) {
          finding = new Promise(resolve => {
            found = () => {
              finding = undefined
              resolve()
            }
          })
        }
        try {
          const {answers, isDoubtful, token} = await exchange(path, parts, () => {
            isKnown = true
            found()
          })
          const outcomes = outcomesOf(sender, parts, answers, now())
          for (const [index, {call}] of parts.entries()) {
            const mayBeDone = isDoubtful || call.input.mayBeDone
            if (mayBeDone) outcomes[index] = await settled(outcomes[index]!, call)
            const outcome = outcomes[index]!
            if (!('error' in outcome)) continue
            if (isDoubtful) markDoubtful(outcome.error)
            if (!(await sender.failed(outcome.error, token))) continue
            // Refused before anything was done, so the call can be repeated.
            outcomes[index] = {error: new TokenRenewedError()}
          }
          return outcomes
        } catch (error) {
          if (!(error instanceof ServiceError) || ![404, 405].includes(error.status)) throw error
          if (paths[0] === path) paths.shift()
        } finally {
          found()
        }
      }
    },
  }
}

/** Paths that may accept batches: the description's, then the legacy path (reference: protocols.md, section 7). */
function pathsOf({batchPath, name, version}: RestDescription): string[] {
  return [...new Set([batchPath, `batch/${name}/${version}`])].filter(Boolean)
}

function outcomesOf(
  sender: Sender,
  parts: readonly Sending[],
  answers: readonly AnswerPart[],
  now: number,
): Outcome[] {
  const byIndex = new Map(answers.map(answer => [answer.index, answer]))
  return parts.map(({call: {id}, request: {url}}, index) => {
    const answer = byIndex.get(index)
    if (!answer)
      return {error: new ProtocolError('The service did not respond to a call in a batch.', true)}
    return outcomeOf(sender, answer, {url, isRecord: hasRecord(sender.operation(id)), now})
  })
}

function outcomeOf(
  {hide}: Sender,
  {status, headers, body}: AnswerPart,
  {url, isRecord, now}: {url: string; isRecord: boolean; now: number},
): Outcome {
  const meaning = statusMeaning(status)
  if (meaning === 'refusal') return {error: serviceError(status, headers, body, now, {hide})}
  if (meaning !== 'result' && meaning !== 'empty')
    return {error: unexpectedStatus(status, headers, url)}
  if (!isRecord) return {record: undefined}
  try {
    return {record: jsonObject(body, headers, url)}
  } catch (error) {
    return {error}
  }
}
