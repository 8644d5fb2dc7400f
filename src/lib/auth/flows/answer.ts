import {isObject} from '#lib/api/validate.js'
import {refusalWords} from '#lib/client/responses.js'
import {hideSecrets} from '#lib/platform/sanitize.js'
import {parseJson} from '#lib/platform/values.js'

/**
 * The ways to sign in live here, as requests, waits and answers (spec: authorization.md, Resources;
 * reference: oauth.md, sections 1 and 2). What a person is shown meanwhile is the command line's part,
 * and where a token is kept belongs to `../store`.
 */

/** An answer as the service sent it. */
export interface RawAnswer {
  readonly status: number
  readonly contentType?: string
  readonly body: string
  /** Secrets that went with the request, which no word of the answer may bring back. */
  readonly secrets?: readonly string[]
}

/** The fields of an answer as text; numbers of JSON become digits. None for what is no such answer. */
export type AuthFields = ReadonlyMap<string, string>

/** Reads an answer by what it says it is, and by its first character where it says nothing useful. */
export async function readFields(answer: RawAnswer): Promise<AuthFields> {
  const {secrets = []} = answer
  const fields = [...(await fieldsOf(answer))]
  return new Map(fields.map(([name, value]) => [name, hideSecrets(value, secrets, '(secret)')]))
}

async function fieldsOf({contentType = '', body}: RawAnswer): Promise<AuthFields> {
  const start = body.trimStart()[0]
  if (/[/+]json\b/i.test(contentType) || start === '{') return fromJson(body)
  if (/html\b/i.test(contentType)) return new Map()
  if (/[/+]xml\b/i.test(contentType) || start === '<') return fromXml(body)
  return fromForm(body)
}

function fromJson(body: string): AuthFields {
  const value = parseJson(body)
  return new Map([...scalars(value), ...fileServiceWords(value, body)])
}

async function fromXml(body: string): Promise<AuthFields> {
  const {XMLParser} = await import('fast-xml-parser')
  try {
    // Every value stays text: a code of digits alone is no number.
    const document: unknown = new XMLParser({parseTagValue: false}).parse(body)
    return scalars(isObject(document) ? document.OAuth : undefined)
  } catch {
    return new Map()
  }
}

function fromForm(body: string): AuthFields {
  return new Map(body.includes('=') ? new URLSearchParams(body.trim()) : [])
}

/** `reason` and `message` of a failure that is told as file services tell theirs, in an object `error`. */
function fileServiceWords(value: unknown, body: string): Array<[string, string]> {
  if (!isObject(value) || !isObject(value.error)) return []
  const {reason = '', message = ''} = refusalWords(body)
  return message === '' ? [] : Object.entries({reason, message})
}

/**
 * What is no single value becomes an empty one, so that it does not pass for one that was left out;
 * but an `error` of that kind is another service's, and none of a sign-in.
 */
function scalars(value: unknown): AuthFields {
  if (!isObject(value)) return new Map()
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => {
      if (typeof inner === 'string' || typeof inner === 'number') return [[name, String(inner)]]
      return inner === null || name === 'error' ? [] : [[name, '']]
    }),
  )
}
