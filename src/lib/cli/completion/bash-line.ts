/** A line as bash has it, read without being run: words without their quotes. Pure. */

export interface BashLine {
  /** The words behind the command's own. */
  readonly words: readonly string[]
  /** The last word as far as it is typed, also where it is empty. */
  readonly current: string
  /** The start of it that readline leaves alone, because it replaces only what follows a colon or so. */
  readonly kept: string
  /** The quote that is open behind that. */
  readonly quote: Quote
  /** The last word is the file of a redirection. */
  readonly isRedirection: boolean
}

interface Token {
  readonly raw: string
  readonly text: string
  /** The quote that is open at its end. */
  readonly quote: Quote
}

/** What ends a command, so that what follows begins another one. */
const ENDS = ';|&()\n`'
const BLANKS = ' \t'

/**
 * Reads `line` up to the cursor. `replaced` is the part at its end that readline replaces, as it is
 * written: bash gives it as the second argument of the function that completes.
 */
export function readBashLine(line: string, replaced: string): BashLine {
  let words: Token[] = []
  let redirected = false
  let targets = new Set<number>()
  let at = 0
  let open = false
  const start = (): void => {
    words = []
    targets = new Set()
    redirected = false
  }
  while (at < line.length) {
    const letter = line[at]!
    open = false
    if (BLANKS.includes(letter)) at += 1
    else if (letter === '<' || letter === '>') {
      // The number of a stream before it is no word, nor is what follows in `>|` and `>&`.
      const last = words.at(-1)
      if (last && /^\d+$/.test(last.raw) && !BLANKS.includes(line[at - 1]!)) words.pop()
      const length = /^[<>&|]+/.exec(line.slice(at))![0].length
      at += length
      redirected = true
    } else if (letter === '&' && line[at + 1] === '>') at += 1
    else if (ENDS.includes(letter)) {
      at += 1
      start()
    } else {
      const end = endOfWord(line, at)
      if (redirected) targets.add(words.length)
      redirected = false
      words.push(tokenOf(line.slice(at, end)))
      at = end
      open = true
    }
  }
  const isRedirection = open ? targets.has(words.length - 1) : redirected
  const last = open ? words.at(-1)! : tokenOf('')
  const before = words.filter(
    (_, index) => !targets.has(index) && !(open && index === words.length - 1),
  )
  const isReplaced = last.raw.endsWith(replaced)
  const keptRaw = isReplaced ? last.raw.slice(0, last.raw.length - replaced.length) : ''
  const kept = tokenOf(keptRaw)
  const commandAt = before.findIndex(({raw}) => !/^\w+=/.test(raw))
  return {
    words: commandAt < 0 ? [] : before.slice(commandAt + 1).map(({text}) => text),
    current: last.text,
    kept: kept.text,
    quote: kept.quote,
    isRedirection,
  }
}

function endOfWord(line: string, from: number): number {
  let quote = ''
  for (let at = from; at < line.length; at++) {
    const letter = line[at]!
    if (letter === '\\' && quote !== "'") at += 1
    else if (quote !== '') {
      if (letter === quote) quote = ''
    } else if (letter === '"' || letter === "'") quote = letter
    else if (BLANKS.includes(letter) || ENDS.includes(letter) || '<>'.includes(letter)) return at
  }
  return line.length
}

/** The word without its quotes and backslashes; a quote may still be open. */
function tokenOf(raw: string): Token {
  let text = ''
  let quote: Quote = ''
  for (let at = 0; at < raw.length; at++) {
    const letter = raw[at]!
    const next = raw[at + 1]
    if (letter === '\\' && quote === '') {
      at += 1
      text += next ?? ''
    } else if (letter === '\\' && quote === '"' && next !== undefined && '$`"\\'.includes(next)) {
      at += 1
      text += next
    } else if (quote !== '' ? letter === quote : letter === '"' || letter === "'") {
      quote = quote === '' ? (letter as Quote) : ''
    } else text += letter
  }
  return {raw, text, quote}
}

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
