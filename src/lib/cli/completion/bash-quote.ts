/** Writing words so that bash reads them back as they are, whatever they hold. Pure. */

/** The quote that a word is in: none, `'` or `"`. */
export type Quote = '' | "'" | '"'

/** Characters that mean something, outside quotes and inside double ones. */
const SPECIAL = {
  '': /[^\w./:,@%+=\u0080-\uFFFF-]/,
  '"': /[$`"\\!]/,
} as const

/**
 * Texts, of which readline takes what they have in common at their start, as they go on behind
 * `quote`. What they have in common ends with a whole character: a backslash that one of them needs
 * there is a quote in the others. `isStart` where they begin a word: `~/` stays what it is to bash.
 */
export function quotedForBash(
  texts: readonly string[],
  quote: Quote,
  isStart: boolean,
): readonly string[] {
  const split = sharedLength(texts)
  const first = texts[0]?.[split]
  return texts.map(text => {
    const tilde = isStart && quote === '' && text.startsWith('~/') ? 2 : 0
    const letters = [...text.slice(tilde)]
    let at = tilde
    const written = letters.map(letter => {
      const isOther = at === split && letter !== first
      at += letter.length
      return writtenLetter(letter, quote, isOther)
    })
    return text.slice(0, tilde) + written.join('')
  })
}

function writtenLetter(letter: string, quote: Quote, isOther: boolean): string {
  if (quote === "'") return letter === "'" ? `'\\''` : letter
  if (!SPECIAL[quote].test(letter)) return letter
  // In double quotes bash would look for an old line, and no backslash keeps it from that.
  if (!isOther && letter !== '!') return `\\${letter}`
  const alone = letter === "'" ? `"'"` : `'${letter}'`
  return quote === '"' ? `"${alone}"` : alone
}

/** How many characters all have in common at their start. */
function sharedLength(texts: readonly string[]): number {
  const [first = '', ...others] = texts
  let length = first.length
  for (const other of others) {
    let at = 0
    while (at < length && other[at] === first[at]) at += 1
    length = at
  }
  return length
}
