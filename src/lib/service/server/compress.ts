import {promisify} from 'node:util'
import {gzip} from 'node:zlib'
import {type ServiceResponse, weightedList} from '#lib/service/http/message.js'

const pack = promisify(gzip)

/** Bytes below which a packet or two carry it anyway. */
const WORTH = 1400

/**
 * The answer, if it is a record, packed for whoever takes it so (RFC 9110, section 12.5.3). Content never
 * is: its length and its ranges count.
 */
export async function compressed(
  response: ServiceResponse,
  acceptEncoding: string | undefined,
): Promise<ServiceResponse> {
  const {body, headers = {}} = response
  const isJson = String(headers['Content-Type']).startsWith('application/json')
  // Content is bytes or a stream, also where it is JSON.
  if (!isJson || typeof body !== 'string') return response
  const varied = {...headers, Vary: 'Accept-Encoding'}
  const bytes = Buffer.from(body)
  if (bytes.length < WORTH || !takesGzip(acceptEncoding)) return {...response, headers: varied}
  return {
    ...response,
    headers: {...varied, 'Content-Encoding': 'gzip'},
    // Of what a harder look would still find, nobody notices anything.
    body: await pack(bytes, {level: 1}),
  }
}

/** Whether a header lets an answer come as gzip; a weight of 0 forbids it. */
export function takesGzip(acceptEncoding?: string): boolean {
  const weights = new Map(weightedList(acceptEncoding))
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}
