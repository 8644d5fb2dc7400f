import {type BodyReading, discardBody, readBodyText} from '#lib/client/transport/incoming.js'
import type {HttpResponse} from '#lib/client/transport/transport.js'
import {NetworkError} from './errors.js'
import {checkValues, FEWER} from './limits.js'
import {jsonObject, serviceError, statusMeaning, unexpectedStatus} from './responses.js'

/** Reads responses with JSON, and error responses. Their meaning: `responses.ts`. */

/** Maximum number of bytes of a JSON response and of an error response, decompressed. */
const JSON_LIMIT = 16 * 1024 * 1024
const ERROR_LIMIT = 1024 * 1024

/** The JSON object of a response. Throws `ProtocolError` for anything else, whatever the status. */
export async function readRecord(
  response: HttpResponse,
  reading: BodyReading,
): Promise<Record<string, unknown>> {
  return jsonObject(await readJsonText(response, reading), response.headers, reading.url)
}

/** Like `readRecord`, but returns `undefined` for an empty response. */
export async function readOptional(
  response: HttpResponse,
  reading: BodyReading,
): Promise<Record<string, unknown> | undefined> {
  const text = await readJsonText(response, reading)
  return text.trim() === '' ? undefined : jsonObject(text, response.headers, reading.url)
}

/** The body of a response. Throws `ProtocolError` if it has too many bytes or values. */
export async function readJsonText(response: HttpResponse, reading: BodyReading): Promise<string> {
  const text = await readBodyText(response, reading, JSON_LIMIT, FEWER)
  checkValues(text, reading.url)
  return text
}

/** A response with a status of success. Throws the error that it reports otherwise, and `ProtocolError`. */
export async function accepted(
  response: HttpResponse,
  reading: BodyReading,
  {now, token, hide}: {now: number; token: string | undefined; hide: (text: string) => string},
): Promise<HttpResponse> {
  const {status, headers} = response
  const meaning = statusMeaning(status)
  if (meaning === 'result' || meaning === 'empty') return response
  if (meaning !== 'refusal') {
    discardBody(response)
    const carried = token === undefined ? 'the request' : 'your token'
    throw unexpectedStatus(status, headers, reading.url, carried)
  }
  // A truncated or endless body must not hide the error response.
  let isCutShort = false
  const body = await readBodyText(response, reading, ERROR_LIMIT).catch((error: unknown) => {
    if (reading.signal?.aborted) throw error
    isCutShort = error instanceof NetworkError
    return ''
  })
  throw serviceError(status, headers, body, now, {hide, isCutShort})
}
