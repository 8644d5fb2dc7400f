import type {ServiceResponse} from '../../http/message.js'

/** The forms in which the token and device code endpoints answer (spec: authorization.md, Response formats). */
export type Format = 'form' | 'json' | 'xml'

export type AnswerFields = Readonly<Record<string, string | number>>

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
export function fieldsResponse(
  status: number,
  fields: AnswerFields,
  format: Format,
): ServiceResponse {
  return {
    status,
    headers: {'Content-Type': CONTENT_TYPES[format], 'Cache-Control': 'no-store', Vary: 'Accept'},
    body: encodeFields(fields, format),
  }
}

export function encodeFields(fields: AnswerFields, format: Format): string {
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

function xmlElements(fields: AnswerFields): string {
  return Object.entries(fields)
    .map(([name, value]) => `<${name}>${xmlText(String(value))}</${name}>`)
    .join('')
}

function xmlText(text: string): string {
  return text.replace(/[&<>]/g, sign => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[sign]!)
}
