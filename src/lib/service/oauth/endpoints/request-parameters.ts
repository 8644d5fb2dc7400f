import {BodyTooLarge, readBody, type ServiceRequest} from '#lib/service/http/message.js'

/** No request to these endpoints is longer than this, in bytes. */
const REQUEST_LIMIT = 64 * 1024

/** Thrown for a request whose parameters cannot be read. */
export class UnreadableRequest extends Error {
  constructor(
    readonly status: 400 | 413 | 415,
    message: string,
  ) {
    super(message)
  }
}

/** The error again, where it is about the request; throws any other. */
export function unreadable(error: unknown): UnreadableRequest {
  if (error instanceof UnreadableRequest) return error
  throw error
}

/**
 * The parameters of a request: from its body (URL-encoded form or JSON object) and its query; the
 * body goes first. Throws `UnreadableRequest`.
 */
export async function readParameters(request: ServiceRequest): Promise<Map<string, string>> {
  const query = [...request.url.searchParams]
  // Of a name that stands twice, the first value counts.
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
    `A body of type ${type} cannot be read. Send application/x-www-form-urlencoded or application/json.`,
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
    throw new UnreadableRequest(400, 'The body must be one JSON object.')
  }
  return Object.entries(body)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      if (typeof value === 'string') return [name, value]
      throw new UnreadableRequest(400, `The field "${name}" must be text.`)
    })
}
