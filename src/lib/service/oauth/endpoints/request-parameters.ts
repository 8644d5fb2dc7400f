import {BodyTooLarge, readBody, type ServiceRequest} from '#lib/service/http/message.js'

/** Maximum size of a request body in bytes. */
export const REQUEST_LIMIT = 64 * 1024

/** Thrown for a request whose parameters cannot be read. */
export class UnreadableRequest extends Error {
  constructor(
    readonly status: 400 | 413 | 415,
    message: string,
  ) {
    super(message)
  }
}

/** Returns an `UnreadableRequest`, and throws any other error. */
export function asUnreadableRequest(error: unknown): UnreadableRequest {
  if (error instanceof UnreadableRequest) return error
  throw error
}

/**
 * Returns the parameters of a request from its body (URL-encoded form or JSON object) and its query.
 * The body takes precedence. Throws `UnreadableRequest`.
 */
export async function readParameters(request: ServiceRequest): Promise<Map<string, string>> {
  const query = [...request.url.searchParams]
  // The first value of a repeated name wins, so the order is reversed for the map.
  return new Map([...(await bodyParameters(request)), ...query].reverse())
}

async function bodyParameters(request: ServiceRequest): Promise<Array<[string, string]>> {
  const text = await bodyText(request)
  if (text.trim() === '') return []
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return jsonParameters(text)
  if (type === undefined || type === 'application/x-www-form-urlencoded') {
    return [...new URLSearchParams(text)]
  }
  throw new UnreadableRequest(
    415,
    `Unsupported media type: ${type}. Send application/x-www-form-urlencoded or application/json.`,
  )
}

async function bodyText(request: ServiceRequest): Promise<string> {
  try {
    return (await readBody(request.body, REQUEST_LIMIT)).toString()
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error
    throw new UnreadableRequest(413, `The body is longer than ${REQUEST_LIMIT} bytes.`)
  }
}

function jsonParameters(text: string): Array<[string, string]> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new UnreadableRequest(400, 'The body is not valid JSON.')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new UnreadableRequest(400, 'The body must be a JSON object.')
  }
  return Object.entries(body)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      if (typeof value === 'string') return [name, value]
      throw new UnreadableRequest(400, `The field "${name}" must be a string.`)
    })
}
