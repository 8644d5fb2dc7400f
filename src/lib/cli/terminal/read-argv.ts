/** The properties of a flag that reading argv needs; flags of oclif and of the manifest have them. */
export interface KnownFlag {
  readonly type: 'boolean' | 'option'
  readonly char?: string
  readonly aliases?: readonly string[]
  readonly allowNo?: boolean
}

export type KnownFlags = Readonly<Record<string, KnownFlag>>

/** The default position of a flag in help, and the position of `--yes`; flags after it are rarely needed. */
export const USUAL_RANK = 999
export const YES_RANK = 1000

/** Sets the position of a flag in help: the lowest is first. */
export function ranked<F extends object>(rank: number, flag: F): F {
  return {...flag, rank}
}

/** A part of argv: a flag with its value, an argument, `--`, or a word after `--`. */
export interface ArgvToken {
  readonly kind: 'flag' | 'argument' | 'dashes' | 'behind'
  /** The words of the token: two if the value of a flag is a separate word. */
  readonly words: readonly [string] | readonly [string, string]
  /** The index of the first word in argv. */
  readonly at: number
  /** A flag as typed, without its value: `--format`, `-qJ`. */
  readonly spelling: string
  /** The known flags it sets: one for a long flag, several for `-qJ`. A value belongs to the last one. */
  readonly names: readonly string[]
  /** All of its flags are known. */
  readonly isKnown: boolean
  readonly value?: string
  /** The last flag requires a value, which is missing. */
  readonly lacksValue: boolean
}

/**
 * Splits argv into tokens, in order. The value of a flag is the next word unless that is `--` or a known
 * flag; flags missing in `flags` take no value. Pure.
 */
export function readArgv(argv: readonly string[], flags: KnownFlags = {}): readonly ArgvToken[] {
  const names = namesBySpelling(flags)
  const tokens: ArgvToken[] = []
  let isBehind = false
  for (let at = 0; at < argv.length; at += tokens.at(-1)!.words.length) {
    const word = argv[at]!
    const kind: ArgvToken['kind'] = isBehind
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

/** The words before `--`, and the rest starting with `--`. Pure. */
export function splitAtDashes(argv: readonly string[]): {
  readonly own: readonly string[]
  readonly rest: readonly string[]
} {
  const end = argv.indexOf('--')
  return end < 0 ? {own: argv, rest: []} : {own: argv.slice(0, end), rest: argv.slice(end)}
}

type Flag = Pick<ArgvToken, 'spelling' | 'names' | 'isKnown' | 'value' | 'lacksValue'>

const NO_FLAG: Flag = {spelling: '', names: [], isKnown: false, lacksValue: false}

function isFlag(word: string): boolean {
  return word.startsWith('-') && word !== '-'
}

/** Reads a word as a flag; `names` is empty if it is not a flag or unknown. */
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

/** Reads short flags: `-q`, `-qJ`, `-L`, `-L5`, `-qL5`. */
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

/** Maps each spelling (`--addParents`, `--no-convert`, `-L`) to the name of the flag. */
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

/** Arguments whose names in help differ from the API. */
const NAMES: Readonly<Record<string, string>> = {
  file_id: 'FILE',
  words: 'FILE... WHO',
  terms: 'WORD... PATH',
}

/** The name of an argument in help: `FILE` for `file_id`. */
export function shownName(name: string): string {
  return NAMES[name] ?? name.toUpperCase()
}

/** An argument in a usage line: `FILE...`, in brackets if optional. */
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

/** Quotes a word so that a POSIX shell takes every character literally. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Quotes a word for a POSIX shell only if needed. */
export function shellWord(word: string): string {
  if (/^[\w@+=:,./-]+$/.test(word)) return word
  return word.includes("'") && !/["$`\\!]/.test(word) ? `"${word}"` : shellQuoted(word)
}
