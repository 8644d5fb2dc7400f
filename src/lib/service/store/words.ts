/**
 * Text in the shape in which searches compare it (reference: protocols.md, section 5): words in
 * lower case, a blank before, between and behind, so that `LIKE '% word %'` finds whole words and
 * `LIKE '% wor%'` the start of one. Punctuation and underscores count as gaps.
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

/** A title in the shape in which `title = '…'` compares it: letter case does not count. */
export function titleKey(title: string): string {
  return title.normalize('NFC').toLowerCase()
}
