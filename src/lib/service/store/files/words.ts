/**
 * Text in the shape in which searches compare it (reference: protocols.md, section 5): words in
 * lower case, a blank before, between and behind, so that ' word ' is in it for whole words and
 * ' wor' for the start of one. Punctuation and underscores count as gaps.
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

/** A title as it is compared and sorted, in lower case: first its natural order, then U+0001, then the alphabetical one. */
export function titleSortKey(title: string): string {
  const lower = title.normalize('NFC').toLowerCase()
  return `${naturalKey(lower.replaceAll(SEPARATOR, ''))}${SEPARATOR}${lower}`
}

const SEPARATOR = '\u0001'

/** A text of which the plain order is the natural one: the length of each number stands before it. */
function naturalKey(text: string): string {
  return text.replace(/\d+/g, number => {
    const digits = number.replace(/^0+(?=\d)/, '')
    return String(digits.length).padStart(5, '0') + digits
  })
}
