/** Characters that take two columns of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
/** Characters that take none: they change the one before. */
const ZERO = /^[\p{Mn}\p{Me}\u200b-\u200d\ufe00-\ufe0f]$/u

/** The columns a text takes in a terminal. */
export function displayWidth(text: string): number {
  let width = 0
  for (const char of text) width += charWidth(char)
  return width
}

/** Cuts a text to so many columns, with `…` at the end when something was cut. */
export function fit(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let kept = ''
  let used = 1
  for (const char of text) {
    used += charWidth(char)
    if (used > width) break
    kept += char
  }
  return `${kept}…`
}

/** Fills a text with blanks up to so many columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)))
}

/**
 * Shares the columns of a terminal: every column gets what it needs, and when that is too much the
 * widest of those that may be cut give way first, down to `LEAST`.
 */
export function shareWidth(
  needed: readonly number[],
  available: number,
  mayCut: (column: number) => boolean,
): number[] {
  const widths = [...needed]
  for (let excess = sum(widths) - available; excess > 0; excess--) {
    let widest = -1
    for (const [column, width] of widths.entries()) {
      if (width > LEAST && mayCut(column) && width > (widths[widest] ?? 0)) widest = column
    }
    if (widest < 0) break
    widths[widest]!--
  }
  return widths
}

const LEAST = 8

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function charWidth(char: string): number {
  return ZERO.test(char) ? 0 : WIDE.test(char) ? 2 : 1
}
