/** What the reader of argv has to know of a flag: oclif's flags and those of the manifest have it. */
export interface KnownFlag {
  readonly type: 'boolean' | 'option'
  readonly char?: string
  readonly aliases?: readonly string[]
  readonly allowNo?: boolean
}

export type KnownFlags = Readonly<Record<string, KnownFlag>>

/** The place of a flag in help where nobody gives it another; and that of `--yes`, behind which stand flags that almost nobody needs. */
export const USUAL_RANK = 999
export const YES_RANK = 1000

/** A flag with its place among those of its command in help: the lowest is the first. */
export function ranked<F extends object>(rank: number, flag: F): F {
  return {...flag, rank}
}

/** A part of argv: a flag with its value, an argument, `--`, or a word behind `--`. */
export interface Token {
  readonly kind: 'flag' | 'argument' | 'dashes' | 'behind'
  /** The words of argv it is made of: two for a flag whose value is a word of its own. */
  readonly words: readonly [string] | readonly [string, string]
  /** Where the first of them is in argv. */
  readonly at: number
  /** A flag as typed, without its value: `--format`, `-qJ`. */
  readonly spelling: string
  /** The known flags it sets: one of a long flag, any number of `-qJ`. A value is that of the last one. */
  readonly names: readonly string[]
  /** Nothing unknown is in it. */
  readonly isKnown: boolean
  readonly value?: string
  /** The last of its names takes a value, which is missing. */
  readonly lacksValue: boolean
}

/**
 * The parts of a command line, in order. The value of a flag is the next word unless that is `--` or a
 * known flag; a flag that `flags` does not have takes none. Pure.
 */
export function readArgv(argv: readonly string[], flags: KnownFlags = {}): readonly Token[] {
  const names = namesBySpelling(flags)
  const tokens: Token[] = []
  let isBehind = false
  for (let at = 0; at < argv.length; at += tokens.at(-1)!.words.length) {
    const word = argv[at]!
    const kind: Token['kind'] = isBehind
      ? 'behind'
      : word === '--'
        ? 'dashes'
        : isFlag(word)
          ? 'flag'
          : 'argument'
    isBehind ||= kind === 'dashes'
    const flag = kind === 'flag' ? flagIn(word, flags, names) : NO_FLAG
    const next = flag.lacksValue ? argv[at + 1] : undefined
    const isValue =
      next !== undefined && next !== '--' && flagIn(next, flags, names).names.length === 0
    const valued = isValue ? {...flag, value: next, lacksValue: false} : flag
    tokens.push({kind, words: isValue ? [word, next] : [word], at, ...valued})
  }
  return tokens
}

/** The words of argv in front of `--`, and the rest, which begins with it. Pure. */
export function splitAtDashes(argv: readonly string[]): {
  readonly own: readonly string[]
  readonly rest: readonly string[]
} {
  const end = argv.indexOf('--')
  return end < 0 ? {own: argv, rest: []} : {own: argv.slice(0, end), rest: argv.slice(end)}
}

type Flag = Pick<Token, 'spelling' | 'names' | 'isKnown' | 'value' | 'lacksValue'>

const NO_FLAG: Flag = {spelling: '', names: [], isKnown: false, lacksValue: false}

function isFlag(word: string): boolean {
  return word.startsWith('-') && word !== '-'
}

/** What a word says by itself as a flag; it has no names where it is none, or is unknown. */
function flagIn(word: string, flags: KnownFlags, names: ReadonlyMap<string, string>): Flag {
  if (!isFlag(word)) return NO_FLAG
  if (!word.startsWith('--')) return shortFlagsIn(word, flags, names)
  const at = word.indexOf('=')
  const spelling = at < 0 ? word : word.slice(0, at)
  const value = at < 0 ? undefined : word.slice(at + 1)
  const name = names.get(spelling)
  if (name === undefined) return {...NO_FLAG, spelling, value}
  const lacksValue = value === undefined && flags[name]!.type === 'option'
  return {spelling, names: [name], isKnown: true, value, lacksValue}
}

/** The same for short flags: `-q`, `-qJ`, `-L`, `-L5`, `-qL5`. */
function shortFlagsIn(word: string, flags: KnownFlags, names: ReadonlyMap<string, string>): Flag {
  const letters = [...word.slice(1)].map(letter => names.get(`-${letter}`))
  const valued = letters.findIndex(name => name !== undefined && flags[name]!.type === 'option')
  const end = valued < 0 ? letters.length : valued + 1
  const own = letters.slice(0, end)
  const value = valued < 0 ? '' : [...word.slice(1)].slice(end).join('')
  return {
    spelling: value === '' ? word : word.slice(0, -value.length),
    names: own.filter(name => name !== undefined),
    isKnown: !own.includes(undefined),
    ...(value !== '' && {value}),
    lacksValue: valued >= 0 && value === '',
  }
}

/** The name of a flag by each of its spellings: `--addParents`, `--no-convert`, `-L`. */
function namesBySpelling(flags: KnownFlags): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [name, {char, aliases = [], allowNo}] of Object.entries(flags)) {
    for (const spelling of [name, ...aliases]) {
      names.set(`--${spelling}`, name)
      if (allowNo) names.set(`--no-${spelling}`, name)
    }
    if (char !== undefined) names.set(`-${char}`, name)
  }
  return names
}

/** Arguments that people know by other names than the API. */
const NAMES: Readonly<Record<string, string>> = {file_id: 'FILE', words: 'FILE... WHO'}

/** The name of an argument as people read it: `FILE` for `file_id`. */
export function shownName(name: string): string {
  return NAMES[name] ?? name.toUpperCase()
}

/** An argument as usage lines show it: `FILE...`, in brackets where it may be left out. */
export function argumentWord({
  name,
  required,
  multiple,
}: {
  readonly name: string
  readonly required?: boolean
  readonly multiple?: boolean
}): string {
  const shown = `${shownName(name)}${multiple ? '...' : ''}`
  return required ? shown : `[${shown}]`
}

/** A word of which a POSIX shell takes no sign for its own. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A word of a line that can be pasted into a POSIX shell: in quotes only where it needs them. */
export function shellWord(word: string): string {
  if (/^[\w@+=:,./-]+$/.test(word)) return word
  return word.includes("'") && !/["$`\\!]/.test(word) ? `"${word}"` : quoted(word)
}
