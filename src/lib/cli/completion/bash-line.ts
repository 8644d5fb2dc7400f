/** Parses a bash command line into words without quotes, without expanding or running anything. Pure. */

export interface BashLine {
  /** The words after the name of the command. */
  readonly words: readonly string[]
  /** The word at the cursor as typed so far; may be empty. */
  readonly current: string
  /** The start of `current` that readline keeps. It replaces only the part after a word break such as a colon. */
  readonly kept: string
  /** The quote that is open after `kept`. */
  readonly quote: Quote
  /** The word at the cursor is the target of a redirection. */
  readonly isRedirection: boolean
}

interface Token {
  readonly raw: string
  readonly text: string
  /** The quote that is open at the end. */
  readonly quote: Quote
}

/** Characters that end a command and start another one. */
const ENDS = ';|&()\n`'
const BLANKS = ' \t'

/**
 * Parses `line`, which ends at the cursor. `replaced` is the part at its end that readline replaces,
 * with its quotes: bash passes it as the second argument of the completion function.
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
      // The number of a file descriptor (`2>`) is not a word, and neither is the rest of `>|` and `>&`.
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

/** Removes the quotes and backslashes of a word. A quote may still be open at its end. */
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

/** Quotes words so that bash reads them back unchanged. Pure. */

/** An open quote: none, `'` or `"`. */
export type Quote = '' | "'" | '"'

/** Matches special characters outside quotes and inside double quotes. */
const SPECIAL = {
  '': /[^\w./:,@%+=\u0080-\uFFFF-]/,
  '"': /[$`"\\!]/,
} as const

/**
 * Quotes texts to insert after the open quote `quote`. Readline inserts their common prefix, which must
 * not end in the middle of an escape: where the texts differ, a special character is put in quotes
 * instead of after a backslash. `isStart`: the texts begin a word, so a leading `~/` is left unquoted.
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
  // In double quotes `!` starts a history expansion, which a backslash does not prevent.
  if (!isOther && letter !== '!') return `\\${letter}`
  const alone = letter === "'" ? `"'"` : `'${letter}'`
  return quote === '"' ? `"${alone}"` : alone
}

/** The length of the common prefix of all texts. */
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
