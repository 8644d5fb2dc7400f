/** Text from outside, made fit to be shown to a person. */

/*
 * The two classes of characters that no text from outside brings to a terminal: C0 and C1 controls
 * (so no escape sequence), line and paragraph separators, the marks that turn the reading direction
 * or hide, and the two codes that are no characters. The joiners (U+200C, U+200D) stay: Persian,
 * Hindi and the emoji of families are spelt with them.
 */
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\uFFFE\uFFFF]+/g

/** The same without the C0 controls, which JSON escapes itself. */
const UNESCAPED =
  /[\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\uFFFE\uFFFF]/g

/** What ends a line for some reader: what `splitlines` of Python takes for an end. */
// eslint-disable-next-line no-control-regex
const LINE_END = /[\n\v\f\r\u001C-\u001E\u0085\u2028\u2029]/

/**
 * One line of at most `limit` characters: whatever could steer a terminal becomes a blank,
 * and what was cut off shows as `…`.
 */
export function printable(text: string, limit = 500): string {
  const clean = text.replace(UNPRINTABLE, ' ').trim()
  const characters = [...clean.slice(0, limit * 2)]
  if (characters.length <= limit && clean.length <= limit * 2) return clean
  return `${characters.slice(0, limit - 1).join('')}…`
}

/**
 * Lines as they are, for a terminal: in the place of whatever could steer it stands `\uFFFD`. Tabs and
 * line breaks stay.
 */
export function harmless(text: string): string {
  return text.replace(UNPRINTABLE, run =>
    run.replace(/\r\n|[^\t\n]/g, what => (what === '\r\n' ? what : '\uFFFD')),
  )
}

/** The same for a text that is one line: a line break in it forges no other. */
export function harmlessLine(text: string): string {
  return text.replace(UNPRINTABLE, run => '\uFFFD'.repeat(run.length))
}

/** Whether a text is more than one line for some reader. */
export function breaksLine(text: string): boolean {
  return LINE_END.test(text)
}

/** Characters from which on a text is a secret; shorter ones would tear holes into words. */
const SHORTEST_SECRET = 8

/** A text without the secrets that somebody repeats in it; `mark` stands in their place. */
export function hideSecrets(text: string, secrets: Iterable<string>, mark: string): string {
  let shown = text
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET) shown = shown.replaceAll(secret, mark)
  }
  return shown
}

/** As many whole characters from the start of a text as fit into so many bytes of UTF-8. */
export function cut(text: string, bytes: number): string {
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

/** Characters in which escapes are put at once: to replace millions takes memory. */
const STRETCH = 64 * 1024

/** JSON without a character that steers a terminal; readers get the same value from it. */
export function safeJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent)
  // Most JSON is ASCII, which this check recognizes five times as fast as the search below.
  if (Buffer.byteLength(json) === json.length && !json.includes('\u007f')) return json
  return escapeUnprintable(json)
}

/** A document of JSON or YAML in which each such character, which stands in quotes, is an escape. */
export function escapeUnprintable(text: string): string {
  let safe = ''
  for (let at = 0; at < text.length; at += STRETCH) {
    safe += text.slice(at, at + STRETCH).replace(UNESCAPED, escaped)
  }
  return safe
}

/** Whether a text has characters that JSON leaves as they are and `escapeUnprintable` does not. */
export function needsEscapes(text: string): boolean {
  return text.search(UNESCAPED) >= 0
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
