/** Makes text from outside safe to display. */

/*
 * Characters that are never printed to a terminal: C0 and C1 controls (so no escape sequences), line
 * and paragraph separators, invisible and bidirectional marks, and the two noncharacters. The joiners
 * U+200C and U+200D are allowed: Persian, Hindi and some emoji need them.
 */
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\uFFFE\uFFFF]+/g

/** The same without the C0 controls, which JSON escapes anyway. */
const UNESCAPED =
  /[\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\uFFFE\uFFFF]/g

/** Line ends for any reader: all that Python's `splitlines` splits at. */
// eslint-disable-next-line no-control-regex
const LINE_END = /[\n\v\f\r\u001C-\u001E\u0085\u2028\u2029]/

/**
 * One line of at most `limit` characters: control characters become spaces, and `…` marks text that was
 * cut off.
 */
export function printable(text: string, limit = 500): string {
  const clean = text.replace(UNPRINTABLE, ' ').trim()
  const characters = [...clean.slice(0, limit * 2)]
  if (characters.length <= limit && clean.length <= limit * 2) return clean
  return `${characters.slice(0, limit - 1).join('')}…`
}

/** Lines for a terminal: control characters other than tabs and line breaks become `\uFFFD`. */
export function harmless(text: string): string {
  return text.replace(UNPRINTABLE, run =>
    run.replace(/\r\n|[^\t\n]/g, what => (what === '\r\n' ? what : '\uFFFD')),
  )
}

/** Like `harmless` for a single line: line breaks become `\uFFFD` too. */
export function harmlessLine(text: string): string {
  return text.replace(UNPRINTABLE, run => '\uFFFD'.repeat(run.length))
}

/** Whether some reader would see more than one line in a text. */
export function breaksLine(text: string): boolean {
  return LINE_END.test(text)
}

/** Minimum length of a secret in characters; replacing shorter ones would damage ordinary words. */
const SHORTEST_SECRET = 8

/** Replaces each secret in a text with `mark`. */
export function hideSecrets(text: string, secrets: Iterable<string>, mark: string): string {
  let shown = text
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET) shown = shown.replaceAll(secret, mark)
  }
  return shown
}

/** The longest prefix of whole characters that fits into `bytes` bytes of UTF-8. */
export function truncate(text: string, bytes: number): string {
  let kept = ''
  let room = bytes
  for (const character of text) {
    room -= Buffer.byteLength(character)
    if (room < 0) break
    kept += character
  }
  return kept
}

/** Whether `printable` would leave the text as it is. */
export function isPrintable(text: string, limit = 500): boolean {
  return printable(text, limit) === text
}

/** Characters escaped at a time: replacing millions at once takes too much memory. */
const STRETCH = 64 * 1024

/** JSON in which unprintable characters are escaped; it parses to the same value. */
export function safeJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent)
  // Most JSON is ASCII; this check is five times as fast as searching.
  if (Buffer.byteLength(json) === json.length && !json.includes('\u007f')) return json
  return escapeUnprintable(json)
}

/** Escapes the unprintable characters of JSON or YAML, where they occur only inside quotes. */
export function escapeUnprintable(text: string): string {
  let safe = ''
  for (let at = 0; at < text.length; at += STRETCH) {
    safe += text.slice(at, at + STRETCH).replace(UNESCAPED, escaped)
  }
  return safe
}

/** Whether a text has characters that JSON leaves unescaped and `escapeUnprintable` escapes. */
export function needsEscapes(text: string): boolean {
  return text.search(UNESCAPED) >= 0
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
