import {ProtocolError} from '#lib/client/errors.js'

/** Calls and responses of a batch: `multipart/mixed` with one HTTP message per part (reference: protocols.md, section 7). Pure. */

/** A call; `path` starts at the root of the origin. */
export interface BatchPart {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The response to the call with this index. */
export interface AnswerPart {
  readonly index: number
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

/** The body of a batch. `boundary` must not occur in any call. */
export function batchBody(parts: readonly BatchPart[], boundary: string): string {
  const texts = parts.map(({method, path, headers, body = ''}, index) =>
    [
      `--${boundary}`,
      'Content-Type: application/http',
      `Content-ID: <${boundary}+${index}>`,
      '',
      `${method} ${path} HTTP/1.1`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ...(body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
      '',
      body,
    ].join('\r\n'),
  )
  return `${texts.join('\r\n')}\r\n--${boundary}--\r\n`
}

/** Maximum number of characters before the body of a response: Node's own limit for HTTP headers. */
const MOST_HEAD = 16 * 1024

/**
 * The responses of a batch in the order received, which may be any; of a truncated batch, the complete
 * ones. Throws `ProtocolError` for malformed text and for more responses than `calls`.
 */
export function batchAnswers(
  contentType: string | undefined,
  text: string,
  calls: number,
): AnswerPart[] {
  const boundary = /^multipart\/mixed\b.*;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(
    contentType ?? '',
  )
  const mark = boundary?.[1] ?? boundary?.[2]
  if (mark === undefined) throw noBatch()
  // The first boundary may come without a preceding line break.
  const line = new RegExp(`\\r?\\n--${escaped(mark)}(?=--|\\s|$)`)
  const [, ...parts] = `\r\n${text}`.split(line, calls + 2)
  // In a truncated text the last part is incomplete.
  const last = parts.pop()
  const hasEnd = last !== undefined && (last === '' || last.startsWith('--'))
  if (!hasEnd && parts.length === calls) throw noBatch()
  if (!hasEnd && parts.length === 0) throw noBatch(true)
  return parts.map(readAnswer)
}

function readAnswer(part: string): AnswerPart {
  const [outer, message] = halves(part.replace(/^[^\n]*\n/, ''))
  const [head, body] = halves(message)
  if (outer.length > MOST_HEAD || head.length > MOST_HEAD) throw noBatch()
  const [line = '', ...lines] = head.split(/\r?\n/)
  const status = /^HTTP\/\d(?:\.\d)? (\d{3})\b/.exec(line)?.[1]
  const index = /\+\s*(\d+)>?\s*$/.exec(headersOf(outer.split(/\r?\n/))['content-id'] ?? '')?.[1]
  if (status === undefined || index === undefined) throw noBatch()
  return {index: Number(index), status: Number(status), headers: headersOf(lines), body}
}

/** The text before and after the first empty line. */
function halves(text: string): [string, string] {
  const blank = /\r?\n\r?\n/.exec(text)
  if (!blank) return [text, '']
  return [text.slice(0, blank.index), text.slice(blank.index + blank[0].length)]
}

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.flatMap(line => {
      const colon = line.indexOf(':')
      if (colon <= 0) return []
      return [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const]
    }),
  )
}

function escaped(text: string): string {
  return text.replace(/[^\w]/g, '\\$&')
}

function noBatch(isCutShort = false): ProtocolError {
  return new ProtocolError('The service returned a malformed batch response.', isCutShort)
}
