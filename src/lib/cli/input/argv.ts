import type {Interfaces} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'

/**
 * From the words of a command line to a request: flags and arguments made from the description, and
 * what they say read and checked. What a command does with it belongs to `../command`.
 */

/**
 * Lets people write booleans with a value: `--convert=false` becomes `--no-convert`. Words after
 * `--` stay as they are. Throws `UsageError` for a value that is none, which oclif would take for
 * an argument.
 */
export function plainArgv(argv: readonly string[], flags: Interfaces.FlagInput): string[] {
  const booleans = new Map<string, {readonly name: string; readonly allowNo: boolean}>()
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.type !== 'boolean') continue
    for (const spelling of [name, ...(flag.aliases ?? [])]) {
      booleans.set(spelling, {name, allowNo: flag.allowNo})
      if (flag.allowNo) booleans.set(`no-${spelling}`, {name: `no-${name}`, allowNo: false})
    }
  }
  const end = argv.indexOf('--')
  return argv.map((word, index) => {
    if (end >= 0 && index > end) return word
    const [, spelling = '', value] = /^--([\w-]+)=(.*)$/s.exec(word) ?? []
    const flag = booleans.get(spelling)
    if (!flag) return word
    if (value === 'true') return `--${flag.name}`
    if (!flag.allowNo) throw new UsageError(`--${flag.name} takes no value.`)
    if (value === 'false') return `--no-${flag.name}`
    throw new UsageError(`--${flag.name} must be true or false, not "${value}".`)
  })
}

/**
 * The command line in spellings that oclif reads: it looks a flag up where every object of JavaScript has
 * `toString` and `constructor`. Throws `UsageError` for such a flag that the command does not have.
 */
export function safeSpellings(argv: readonly string[], flags: Interfaces.FlagInput): string[] {
  const end = argv.indexOf('--')
  return argv.map((word, index) => {
    const [, spelling = '', value = ''] = /^--([\w-]+)(=.*)?$/s.exec(word) ?? []
    if ((end >= 0 && index > end) || !(spelling in Object.prototype)) return word
    const name = flagOf(`--${spelling}`, flags)
    if (name === undefined) throw new UsageError(`There is no flag --${spelling}.`)
    return `--${name}${value}`
  })
}

/**
 * Gives a flag with an optional value the empty text where none is given, because oclif knows only
 * flags with a value and flags without. The next word is the value, unless it is a flag or is
 * needed as one of the command's `required` arguments.
 */
export function optionalValue(
  argv: readonly string[],
  name: string,
  required: number,
  flags: Interfaces.FlagInput,
): string[] {
  const end = argv.indexOf('--')
  const words = end < 0 ? [...argv] : argv.slice(0, end)
  const rest = end < 0 ? [] : argv.slice(end)
  const at = words.findIndex(word => flagOf(word, flags) === name)
  if (at < 0) return [...argv]
  const next = words[at + 1]
  const isFree = next !== undefined && (next === '-' || !next.startsWith('-'))
  const positional =
    positionals(words.slice(0, at), flags) +
    positionals(words.slice(at + 2), flags) +
    Math.max(rest.length - 1, 0)
  if (isFree && positional >= required) return [...argv]
  return [...words.slice(0, at), `--${name}=`, ...words.slice(at + 1), ...rest]
}

/** How many words are arguments: neither flags nor values of flags. */
function positionals(words: readonly string[], flags: Interfaces.FlagInput): number {
  let count = 0
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    if (word === '-' || !word.startsWith('-')) count++
    else if (takesValue(word, flags)) index++
  }
  return count
}

function takesValue(word: string, flags: Interfaces.FlagInput): boolean {
  const name = flagOf(word, flags)
  return name !== undefined && flags[name]!.type === 'option'
}

/** The name of the flag that a word is, in any of its spellings, where no value is in it. */
function flagOf(word: string, flags: Interfaces.FlagInput): string | undefined {
  const named = Object.entries(flags).find(
    ([name, {char, aliases = []}]) =>
      (char !== undefined && word === `-${char}`) ||
      [name, ...aliases].some(spelling => word === `--${spelling}`),
  )
  return named?.[0]
}
