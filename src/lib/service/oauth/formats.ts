import {BodyTooLarge, readBody, type ServiceRequest, type ServiceResponse} from '../http/message.js'

/** The forms in which the token and device code endpoints answer (spec: authorization.md, Response formats). */
export type Format = 'form' | 'json' | 'xml'

export type Fields = Readonly<Record<string, string | number>>

/** No request to these endpoints is longer than this, in bytes. */
const REQUEST_LIMIT = 64 * 1024

/** The form an `Accept` header prefers among the three; the URL-encoded form where it has no wish. */
export function acceptedFormat(accept: string | undefined): Format {
  const wishes = (accept ?? '').split(',').map(part => {
    const [type = '', ...parameters] = part.split(';').map(piece => piece.trim().toLowerCase())
    const quality = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    return {format: formatOf(type), quality: quality === undefined ? 1 : Number(quality) || 0}
  })
  // Sorting is stable: of equal wishes the first one counts.
  const known = wishes.filter(({format, quality}) => format && quality > 0)
  return known.sort((a, b) => b.quality - a.quality)[0]?.format ?? 'form'
}

function formatOf(type: string): Format | undefined {
  if (type === 'application/json' || type === 'application/vnd.service+json') return 'json'
  if (type === 'application/xml' || type === 'text/xml') return 'xml'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  return undefined
}

const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  form: 'application/x-www-form-urlencoded; charset=utf-8',
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
}

/** An answer in one of the three forms. It is never to be cached, since it may hold a token. */
export function fieldsResponse(status: number, fields: Fields, format: Format): ServiceResponse {
  return {
    status,
    headers: {'Content-Type': CONTENT_TYPES[format], 'Cache-Control': 'no-store', Vary: 'Accept'},
    body: encodeFields(fields, format),
  }
}

export function encodeFields(fields: Fields, format: Format): string {
  switch (format) {
    case 'json':
      return JSON.stringify(fields)
    case 'xml':
      return `<?xml version="1.0" encoding="UTF-8"?>\n<OAuth>${xmlElements(fields)}</OAuth>\n`
    case 'form':
      return new URLSearchParams(
        Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
      ).toString()
  }
}

function xmlElements(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value]) => `<${name}>${xmlText(String(value))}</${name}>`)
    .join('')
}

function xmlText(text: string): string {
  return text.replace(/[&<>]/g, sign => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[sign]!)
}

/** Thrown for a request whose parameters cannot be read. */
export class UnreadableRequest extends Error {
  constructor(
    readonly status: 400 | 413 | 415,
    message: string,
  ) {
    super(message)
  }
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
