import {randomUUID} from 'node:crypto'
import {description} from '../../api/description/index.js'
import {operation} from '../../api/operations.js'
import {jsonObject, meaningOf, serviceError, strangeStatus} from '../responses.js'
import {requestOf} from '../calls.js'
import type {BatchCall, Outcome} from '../client.js'
import {ProtocolError, ServiceError} from '../errors.js'
import {type AnswerPart, batchAnswers, batchBody} from './multipart.js'
import {readJsonText, type Sender} from '../request.js'

/**
 * Many calls in one request live here (reference: protocols.md, section 7). Which calls are worth it
 * is for the caller to say.
 */

/**
 * Sends calls with one request, once; gives what came of each, in their order. `undefined` from a
 * service that has no batches. Fails as a whole as every request does.
 */
export async function sendBatch(
  sender: Sender,
  calls: readonly BatchCall[],
  now: () => number,
): Promise<Outcome[] | undefined> {
  const {origin} = new URL(sender.baseUrl)
  const requests = calls.map(({id, input}) => requestOf(sender.baseUrl, operation(id), input))
  const boundary = `drv-${randomUUID()}`
  const url = `${sender.baseUrl}/${description.batchPath}`
  const body = batchBody(
    requests.map(({method, url, headers = {}, body}) => ({
      method,
      path: url.slice(origin.length),
      headers,
      body: body as string | undefined,
    })),
    boundary,
  )
  const text = await sender
    .retry({repeat: 'unsafe'}, async () => {
      const headers = {'content-type': `multipart/mixed; boundary=${boundary}`}
      const response = await sender.send({method: 'POST', url, headers, body})
      return {
        type: response.headers['content-type'],
        body: await readJsonText(response, sender.reading(url)),
      }
    })
    .catch((error: unknown) => {
      if (error instanceof ServiceError && [404, 405].includes(error.status)) return undefined
      throw error
    })
  if (!text) return undefined
  const parts = batchAnswers(text.type, text.body, calls.length)
  const answers = new Map(parts.map(part => [part.index, part]))
  const outcomes = calls.map(({id}, index) => {
    const answer = answers.get(index)
    if (!answer)
      return {error: new ProtocolError('The service left out an answer of a batch.', true)}
    return outcomeOf(answer, requests[index]!.url, operation(id).response !== undefined, now())
  })
  for (const outcome of outcomes) if ('error' in outcome) await sender.failed(outcome.error)
  return outcomes
}

function outcomeOf(
  {status, headers, body}: AnswerPart,
  url: string,
  hasRecord: boolean,
  now: number,
): Outcome {
  const meaning = meaningOf(status)
  if (meaning === 'refusal') return {error: serviceError(status, headers, body, now)}
  if (meaning !== 'result' && meaning !== 'empty')
    return {error: strangeStatus(status, headers, url)}
  if (!hasRecord) return {record: undefined}
  try {
    return {record: jsonObject(body, headers, url)}
  } catch (error) {
    return {error}
  }
}
