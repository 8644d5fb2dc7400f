/** Text from outside, made fit to be shown to a person. */

/**
 * C0 and C1 controls (so no escape sequence reaches a terminal), line and paragraph separators,
 * and the marks that turn the reading direction or hide. The joiners (U+200C, U+200D) stay: Persian,
 * Hindi and the emoji of families are spelt with them.
 */
const UNPRINTABLE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]+/g

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
