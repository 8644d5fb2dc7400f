/** The flags of every command, and whether they take a value; the base command has them in full. */
export const globalFlags: Readonly<Record<string, 'boolean' | 'value'>> = {
  profile: 'value',
  json: 'boolean',
  format: 'value',
  columns: 'value',
  jq: 'value',
  quiet: 'boolean',
  verbose: 'boolean',
  debug: 'boolean',
  'read-only': 'boolean',
  'no-input': 'boolean',
  'no-color': 'boolean',
  'no-pager': 'boolean',
  'no-probe': 'boolean',
  timeout: 'value',
  'dry-run': 'boolean',
  curl: 'boolean',
}

/** The short flags, the same in every command that has the long one. */
export const shortFlags: Readonly<Record<string, string>> = {
  q: 'quiet',
  y: 'yes',
  n: 'dry-run',
  o: 'output',
  a: 'all',
  L: 'limit',
  J: 'json',
  l: 'long',
  R: 'recursive',
}

/** Short flags that take a value. */
const SHORT_WITH_VALUE = ['o', 'L']

/** Whether `-qJ` or the like has the short form of a flag without a value in it. */
export function hasShort(word: string, flag: string): boolean {
  const letters = /^-([a-zA-Z]+)$/.exec(word)?.[1] ?? ''
  const value = [...letters].findIndex(letter => SHORT_WITH_VALUE.includes(letter))
  const known = value < 0 ? letters : letters.slice(0, value)
  return [...known].some(letter => shortFlags[letter] === flag)
}

/** As many words as the name of a command has at most: `local user add`. */
const MOST_WORDS = 3

/**
 * The command line with the global flags behind the first words, for oclif takes what stands there
 * for the command's name. What comes behind an unknown flag or `--` stays where it is. Pure.
 */
export function wordsFirst(argv: readonly string[]): string[] {
  const words: string[] = []
  const flags: string[] = []
  let at = 0
  while (at < argv.length && words.length < MOST_WORDS) {
    const word = argv[at]!
    if (!word.startsWith('-')) {
      // No command is called so: what stands before a path or a search stays before it.
      if (words.length > 0 && !/^[\w:-]+$/.test(word)) break
      words.push(word)
      at += 1
      continue
    }
    const length = longLength(word) ?? shortLength(word)
    if (length === undefined) break
    flags.push(...argv.slice(at, at + length))
    at += length
  }
  return words.length === 0 ? [...argv] : [...words, ...flags, ...argv.slice(at)]
}

/** How many words a global flag takes, itself included; `undefined` for what is none. */
function longLength(word: string): number | undefined {
  const [, name = '', value] = /^--([\w-]+)(=.*)?$/s.exec(word) ?? []
  if (!Object.hasOwn(globalFlags, name)) return undefined
  return globalFlags[name] === 'value' && value === undefined ? 2 : 1
}

/** The same for short flags: `-q`, `-qJ`, `-L 5`, `-L5`. */
function shortLength(word: string): number | undefined {
  const letters = [...word.slice(1)]
  const value = letters.findIndex(letter => SHORT_WITH_VALUE.includes(letter))
  const plain = value < 0 ? letters : letters.slice(0, value)
  if (letters.length === 0 || !plain.every(letter => Object.hasOwn(shortFlags, letter))) {
    return undefined
  }
  return value >= 0 && value === letters.length - 1 ? 2 : 1
}
