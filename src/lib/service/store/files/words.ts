/**
 * Text normalized for search (reference: protocols.md, section 5): words in lower case, with a space
 * before and after each. So ' word ' matches a whole word, and ' wor' a prefix. Punctuation and
 * underscores separate words.
 */
export function searchWords(...texts: readonly string[]): string {
  const words = texts.flatMap(
    text =>
      text
        .normalize('NFKC')
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
  )
  return ` ${words.join(' ')} `
}

/** The sort key of a title: the key for natural order, U+0001, and the title in lower case, for comparisons and alphabetical order. */
export function titleSortKey(title: string): string {
  const lower = title.normalize('NFC').toLowerCase()
  return `${naturalKey(lower.replaceAll(SEPARATOR, ''))}${SEPARATOR}${lower}`
}

const SEPARATOR = '\u0001'

/** A text whose alphabetical order is the natural order: each number is prefixed with its length. */
function naturalKey(text: string): string {
  return text.replace(/\d+/g, number => {
    const digits = number.replace(/^0+(?=\d)/, '')
    return String(digits.length).padStart(5, '0') + digits
  })
}
