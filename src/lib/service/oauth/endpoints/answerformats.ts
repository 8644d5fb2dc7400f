import {type ServiceResponse, weightedList} from '#lib/service/http/message.js'

/**
 * What programs ask of the authorization service is answered here, in JSON, XML or as a form. What
 * people see belongs to `../pages`, the steps of a sign-in to `../flows`.
 */

/** The forms in which the token and device code endpoints answer (spec: authorization.md, Response formats). */
export type Format = 'form' | 'json' | 'xml'

export type AnswerFields = Readonly<Record<string, string | number>>

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['application/json', 'json'],
  ['application/vnd.service+json', 'json'],
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
  ['application/x-www-form-urlencoded', 'form'],
])

/** The form an `Accept` header prefers among the three; the URL-encoded form where it has no wish. */
export function acceptedFormat(accept: string | undefined): Format {
  const known = weightedList(accept).filter(([type, weight]) => FORMATS.has(type) && weight > 0)
  // Sorting is stable: of equal wishes the first one counts.
  const [best] = known.sort(([, one], [, other]) => other - one)
  return (best && FORMATS.get(best[0])) ?? 'form'
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
