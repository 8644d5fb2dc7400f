/** Heads of requests and answers of HTTP/1.1 as text (RFC 9112, sections 2 to 5). Pure. */

/** The most an answer's body may have to be held. */
const LITTLE = 1024 * 1024

/** How each answer begins. */
const VERSION = 'HTTP/1.1 '

/** What a value may have in it (RFC 9110, section 5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Blanks around the value are cut later: to leave them out here takes long where there are many. */
const FIELD = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/

/** What a plain answer says before its body. */
export interface Head {
  readonly status: number
  /** Names in lower case; headers that came more than once are joined with commas. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Bytes of the body. */
  readonly size: number
}

/** Of these Node takes the first where they come more than once. */
const SINGLE: ReadonlySet<string> = new Set(['content-type', 'etag', 'location', 'retry-after'])

/** A request line and its headers. Throws for a value that no header may have, such as a line break. */
export function requestHead(
  method: string,
  url: URL,
  headers: Readonly<Record<string, string>>,
): string {
  let text = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`
  for (const [name, value] of Object.entries(headers)) {
    if (!VALUE.test(value)) throw new TypeError(`Invalid character in header ${name}`)
    text += `${name}: ${value}\r\n`
  }
  return `${text}\r\n`
}

/** Whether a head may begin so: others never become one, however long they are waited for. */
export function mayBeHead(text: string): boolean {
  const isOurs = text.startsWith(VERSION) || VERSION.startsWith(text)
  return isOurs && !/(?<!\r)\n/.test(text)
}

/**
 * Reads what stands before the empty line. `undefined` for all but the plainest answers: those of
 * HTTP/1.1 whose body is there, is neither packed nor sent in chunks, and has a length, which is told
 * and small.
 */
export function parseHead(text: string): Head | undefined {
  const [first = '', ...lines] = text.split('\r\n')
  const status = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/.exec(first)?.[1]
  if (status === undefined || status === '204' || status === '304') return undefined
  const headers = Object.create(null) as Record<string, string | undefined>
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    const key = name.toLowerCase()
    if (key in headers && SINGLE.has(key)) return undefined
    headers[key] = key in headers ? `${headers[key]}, ${value.trim()}` : value.trim()
  }
  if ('transfer-encoding' in headers || 'content-encoding' in headers) return undefined
  const length = headers['content-length'] ?? ''
  const size = Number(length)
  return /^\d{1,9}$/.test(length) && size <= LITTLE
    ? {status: Number(status), headers, size}
    : undefined
}

/** Whether more requests may follow on the connection of an answer. */
export function mayFollow({headers}: Head): boolean {
  return !/close|upgrade/i.test(headers.connection ?? '')
}

/** Milliseconds for which the service keeps the connection, where it says so. */
export function keptFor({headers}: Head): number | undefined {
  const seconds = /(?:^|[\s,;])timeout=(\d{1,6})(?:$|[\s,;])/i.exec(
    headers['keep-alive'] ?? '',
  )?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
