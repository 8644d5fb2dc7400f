import {randomUUID} from 'node:crypto'
import {hasRecord, type Operation} from '#lib/api/operations.js'
import type {RestDescription} from '#lib/api/types.js'
import {textOf} from '#lib/api/validate.js'
import {callOperation} from '#lib/client/calls.js'
import type {BatchCall, Outcome} from '#lib/client/client.js'
import {ProtocolError, ServiceError} from '#lib/client/errors.js'
import {isIdTaken, isNotFound} from '#lib/client/readback.js'
import {hiddenHeaders, type Outbound, readJsonText, type Sender} from '#lib/client/request.js'
import {jsonObject, meaningOf, serviceError, strangeStatus} from '#lib/client/responses.js'
import {repeatOf} from '#lib/client/retry/policy.js'
import {type AnswerPart, batchAnswers, batchBody} from './multipart.js'

/** A call and its request. */
interface Part {
  readonly call: BatchCall
  readonly request: Outbound
}

/** Sends batches to the address that takes them, and remembers which one that is. */
export function createPost(sender: Sender, now: () => number) {
  const {origin} = new URL(sender.baseUrl)
  /** The first one is tried; those that are not there are taken out. */
  const paths = pathsOf(sender.document)
  let isKnown = false
  /** Under way while a batch finds out where batches are taken. */
  let finding: Promise<void> | undefined

  /** Sends a batch to `path`; `onTaken` hears that there is one who takes it. */
  async function exchange(path: string, parts: readonly Part[], onTaken: () => void) {
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
    const isSafe = parts.every(({call}) => repeats(call, sender.operation(call.id)) === 'safe')
    const headers = {'content-type': `multipart/mixed; boundary=${boundary}`}
    return sender.retry({repeat: isSafe ? 'safe' : 'unsafe'}, async ({isDoubtful}) => {
      const response = await sender.send({method: 'POST', url, headers, body, needsProof: true})
      onTaken()
      const text = await readJsonText(response, sender.reading(url))
      return {
        answers: batchAnswers(response.headers['content-type'], text, parts.length).map(answer => ({
          ...answer,
          headers: hiddenHeaders(answer.headers, sender.hide),
        })),
        isDoubtful,
      }
    })
  }

  /** What came of a call, where an earlier attempt may have carried it out. */
  async function settled(outcome: Outcome, {id, input}: BatchCall): Promise<Outcome> {
    if (!('error' in outcome)) return outcome
    const {httpMethod} = sender.operation(id)
    if (httpMethod === 'DELETE' && isNotFound(outcome.error)) return {record: undefined}
    if (httpMethod !== 'POST' || !isIdTaken(outcome.error)) return outcome
    try {
      return {record: await callOperation(sender, id, {...input, mayBeDone: true})}
    } catch (error) {
      return {error}
    }
  }

  return {
    /** Whether the service may have batches. */
    isThere: () => paths.length > 0,

    /** What came of each of a hundred calls at most; `undefined` from a service that has no batches. */
    async send(parts: readonly Part[]): Promise<Outcome[] | undefined> {
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
          const {answers, isDoubtful} = await exchange(path, parts, () => {
            isKnown = true
            found()
          })
          const outcomes = outcomesOf(sender, parts, answers, now())
          for (const [index, {call}] of parts.entries()) {
            const mayBeDone = isDoubtful || call.input.mayBeDone
            if (mayBeDone) outcomes[index] = await settled(outcomes[index]!, call)
            const outcome = outcomes[index]!
            if ('error' in outcome) await sender.failed(outcome.error)
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

/**
 * Where a service may take batches: at the address that its description names, and where they went
 * before there was one, which some services know alone (reference: protocols.md, section 7).
 */
function pathsOf({batchPath, name, version}: RestDescription): string[] {
  return [...new Set([batchPath, `batch/${name}/${version}`])].filter(Boolean)
}

/** Whether a call of a batch may be sent again when nobody knows if it was carried out. */
export function repeats(
  {id, input}: BatchCall,
  {httpMethod}: Operation,
): ReturnType<typeof repeatOf> {
  const hasId = textOf(input.body?.id) !== undefined
  return repeatOf(id, httpMethod, {hasId, hasContent: false})
}

function outcomesOf(
  sender: Sender,
  parts: readonly Part[],
  answers: readonly AnswerPart[],
  now: number,
): Outcome[] {
  const byIndex = new Map(answers.map(answer => [answer.index, answer]))
  return parts.map(({call: {id}, request: {url}}, index) => {
    const answer = byIndex.get(index)
    if (!answer)
      return {error: new ProtocolError('The service left out an answer of a batch.', true)}
    return outcomeOf(sender, answer, {url, isRecord: hasRecord(sender.operation(id)), now})
  })
}

function outcomeOf(
  {hide}: Sender,
  {status, headers, body}: AnswerPart,
  {url, isRecord, now}: {url: string; isRecord: boolean; now: number},
): Outcome {
  const meaning = meaningOf(status)
  if (meaning === 'refusal') return {error: serviceError(status, headers, body, now, hide)}
  if (meaning !== 'result' && meaning !== 'empty')
    return {error: strangeStatus(status, headers, url)}
  if (!isRecord) return {record: undefined}
  try {
    return {record: jsonObject(body, headers, url)}
  } catch (error) {
    return {error}
  }
}
