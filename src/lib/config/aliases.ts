import {join} from 'node:path'
import {type StateFile, stateFile} from '#lib/platform/state-file.js'
import {isObject, parseJson} from '#lib/platform/values.js'

/** Command lines under names of one's own: `{"mine": "find / --owner me"}`; with `!` in front, lines of a shell. */
export type Aliases = Readonly<Record<string, string>>

/** The file that keeps them, beside the configuration; nothing is kept without a directory. */
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
 * The words of a line as a POSIX shell would split it: by blanks, but for those in quotes and behind a
 * backslash; `undefined` where a quote has no end. Nothing else means anything. Pure.
 */
export function splitLine(line: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const sign = line[at]!
    if (sign === '\\' && quote !== "'" && at + 1 < line.length) {
      const next = line[++at]!
      word = (word ?? '') + (quote === '"' && !/["\\$`]/.test(next) ? sign + next : next)
    } else if (quote !== '') {
      if (sign === quote) quote = ''
      else word += sign
    } else if (sign === '"' || sign === "'") {
      quote = sign
      word ??= ''
    } else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + sign
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}

/** What an alias makes of a command line, or the number of the word that it lacks. */
export type Expansion = {readonly argv: readonly string[]} | {readonly lacks: number}

/**
 * The command line that an alias stands for: `$1` is the first word behind it, and what no such place
 * takes follows at the end. Pure.
 */
export function expandAlias(words: readonly string[], rest: readonly string[]): Expansion {
  const places = words.flatMap(word => [...word.matchAll(/\$([1-9])/g)].map(([, at]) => Number(at)))
  const most = Math.max(0, ...places)
  if (most > rest.length) return {lacks: rest.length + 1}
  const filled = words.map(word =>
    word.replace(/\$([1-9])/g, (_, at: string) => rest[Number(at) - 1]!),
  )
  return {argv: [...filled, ...rest.slice(most)]}
}

/** What a shell alias runs, `drv ls | head` of `!drv ls | head`; `undefined` for a line of drv. Pure. */
export function shellLine(line: string): string | undefined {
  return line.startsWith('!') ? line.slice(1).trim() : undefined
}

/** The words that an alias in front stands for as far as they are there, for completion. Pure. */
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
