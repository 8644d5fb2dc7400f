import {join} from 'node:path'
import {type StateFile, stateFile} from '#lib/platform/state-file.js'
import {isObject, parseJson} from '#lib/platform/values.js'

/** Command lines by alias: `{"mine": "find / --owner me"}`; with a leading `!`, shell commands. */
export type Aliases = Readonly<Record<string, string>>

/** The alias file in the configuration directory; without a directory, aliases are not stored. */
export function aliasFile(directory: string | undefined): StateFile<Aliases> {
  return stateFile<Aliases>({
    file: directory === undefined ? undefined : join(directory, 'aliases.json'),
    parse(text) {
      const value = parseJson(text)
      if (!isObject(value)) return undefined
      const entries = Object.entries(value).filter(([, line]) => typeof line === 'string')
      return Object.fromEntries(entries) as Aliases
    },
    format: aliases => `${JSON.stringify(aliases, null, 2)}\n`,
  })
}

/**
 * Adds aliases, all or none, while no other process changes the file. Returns the names that already exist, in which
 * case nothing is added; `clobber` replaces them.
 */
export async function addAliases(
  file: StateFile<Aliases>,
  added: Aliases,
  clobber: boolean,
): Promise<readonly string[]> {
  let existing: readonly string[] = []
  await file.update((aliases = {}) => {
    existing = Object.keys(added).filter(name => !clobber && Object.hasOwn(aliases, name))
    return existing.length > 0 ? undefined : {...aliases, ...added}
  })
  return existing
}

/**
 * Splits a line into words as a POSIX shell does: at blanks that are neither quoted nor escaped. No other character is
 * special. `undefined` for an unterminated quote. Pure.
 */
export function splitLine(line: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!
    if (character === '\\' && quote !== "'" && at + 1 < line.length) {
      const next = line[++at]!
      word = (word ?? '') + (quote === '"' && !/["\\$`]/.test(next) ? character + next : next)
    } else if (quote !== '') {
      if (character === quote) quote = ''
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}

/** The expanded command line, or the number of the first missing argument. */
export type Expansion = {readonly argv: readonly string[]} | {readonly lacks: number}

/**
 * Expands an alias: `$1` is its first argument; arguments that no placeholder takes are appended. Pure.
 */
export function expandAlias(words: readonly string[], rest: readonly string[]): Expansion {
  const placeholders = words.flatMap(word =>
    [...word.matchAll(/\$([1-9])/g)].map(([, at]) => Number(at)),
  )
  const most = Math.max(0, ...placeholders)
  if (most > rest.length) return {lacks: rest.length + 1}
  const filled = words.map(word =>
    word.replace(/\$([1-9])/g, (_, at: string) => rest[Number(at) - 1]!),
  )
  return {argv: [...filled, ...rest.slice(most)]}
}

/** The command of a shell alias: `drv ls | head` for `!drv ls | head`; `undefined` for other aliases. Pure. */
export function shellLine(line: string): string | undefined {
  return line.startsWith('!') ? line.slice(1).trim() : undefined
}

/** Expands a leading alias as far as its arguments are known, for completion. Pure. */
export function completedWords(aliases: Aliases, words: readonly string[]): readonly string[] {
  const [name = '', ...rest] = words
  const line = Object.hasOwn(aliases, name) ? aliases[name]! : '!'
  const own = shellLine(line) === undefined ? splitLine(line) : undefined
  if (!own) return words
  const expansion = expandAlias(own, rest)
  if ('argv' in expansion) return expansion.argv
  const place = own.findIndex(word => word.includes(`$${expansion.lacks}`))
  const known = expandAlias(own.slice(0, place), rest)
  return 'argv' in known ? known.argv : words
}
