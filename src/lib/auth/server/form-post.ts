import {isObject} from '#lib/api/validate.js'
import {refusalWords} from '#lib/client/responses.js'
import {checkOrigin} from '#lib/config/address.js'
import {hideSecrets} from '#lib/platform/sanitize.js'
import {parseJson} from '#lib/platform/values.js'
import {createExchange, type RawAnswer} from './fetching.js'

/** Sends forms to an authorization service, and reads the fields of its responses. */

/** Form fields whose values are removed from displayed responses. */
const SECRETS = ['client_secret', 'code', 'code_verifier', 'device_code', 'refresh_token', 'token']

/** Fields that hold tokens, never shown: a refresh token may come back as it was sent. */
const TOKENS: ReadonlySet<string> = new Set(['access_token', 'refresh_token'])

/** Sends a form to a path of an authorization service. */
export type Post = (path: string, form: Readonly<Record<string, string>>) => Promise<RawAnswer>

/** The secrets of a form. */
export function secretsOf(form: URLSearchParams): string[] {
  return SECRETS.flatMap(name => form.get(name) ?? [])
}

/**
 * Sends forms to an authorization service, asking for JSON; refusals are answers, as OAuth puts them in the body. Fails
 * as `Exchange` does. Throws `SetupError` for an address that would carry codes in the open.
 */
export function createPost({
  authUrl,
  ...options
}: Parameters<typeof createExchange>[0] & {
  /** Address of the authorization service, no slash at the end. */
  readonly authUrl: string
}): Post {
  checkOrigin(new URL(authUrl), 'The URL of the authorization service')
  const exchange = createExchange(options)
  return async (path, fields) => {
    const form = new URLSearchParams(fields)
    const answer = await exchange({
      method: 'POST',
      url: authUrl + path,
      headers: {accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded'},
      body: form.toString(),
    })
    const secrets = secretsOf(form)
    return {...answer, ...(secrets.length > 0 && {secrets})}
  }
}

/** The fields of a response as text; empty for an unexpected format. */
export type AuthFields = ReadonlyMap<string, string>

/** Reads a response by its content type, or by its first character if the type does not help. */
export async function readFields(answer: RawAnswer): Promise<AuthFields> {
  const {secrets = []} = answer
  const fields = [...(await fieldsOf(answer))]
  const hidden = (name: string, value: string) =>
    TOKENS.has(name) ? value : hideSecrets(value, secrets, '(secret)')
  return new Map(fields.map(([name, value]) => [name, hidden(name, value)]))
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
    // Values stay text: a code may consist of digits.
    const document: unknown = new XMLParser({parseTagValue: false}).parse(body)
    return scalars(isObject(document) ? document.OAuth : undefined)
  } catch {
    return new Map()
  }
}

function fromForm(body: string): AuthFields {
  return new Map(body.includes('=') ? new URLSearchParams(body.trim()) : [])
}

/** `reason` and `message` of an error in the format of file services (an object `error`). */
function fileServiceWords(value: unknown, body: string): Array<[string, string]> {
  if (!isObject(value) || !isObject(value.error)) return []
  const {reason = '', message = ''} = refusalWords(body)
  return message === '' ? [] : Object.entries({reason, message})
}

/** The scalar fields. Other values become '', except `error`, which is left out: an object there is not an OAuth error. */
function scalars(value: unknown): AuthFields {
  if (!isObject(value)) return new Map()
  return new Map(
    Object.entries(value).flatMap(([name, inner]) => {
      if (typeof inner === 'string' || typeof inner === 'number') return [[name, String(inner)]]
      return inner === null || name === 'error' ? [] : [[name, '']]
    }),
  )
}
