import type {Interfaces} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readArgv} from '#lib/cli/terminal/read-argv.js'

/**
 * The command line in spellings that oclif reads: `--convert=false` becomes `--no-convert`, and a flag
 * that every object of JavaScript has, such as `--constructor`, gets its name. Words behind `--` stay as
 * they are. Throws `UsageError` for a boolean whose value is none, which oclif would take for an argument,
 * and for such a flag that the command does not have.
 */
export function plainArgv(argv: readonly string[], flags: Interfaces.FlagInput): string[] {
  return readArgv(argv, flags).flatMap(({words, spelling, names: [name], value}) => {
    const [, ...behind] = words
    const isInline = value !== undefined && behind.length === 0
    const long = spelling.startsWith('--') ? spelling.slice(2) : ''
    const flag = name === undefined || long === '' ? undefined : flags[name]!
    if (flag?.type === 'boolean' && isInline) {
      const isNo = ![name, ...(flag.aliases ?? [])].includes(long)
      return booleanWord(isNo ? `no-${name}` : name!, flag.allowNo && !isNo, value)
    }
    if (!(long in Object.prototype)) return words
    if (!flag) throw new UsageError(`There is no flag --${long}.`)
    return [isInline ? `--${name}=${value}` : `--${name}`, ...behind]
  })
}

function booleanWord(name: string, allowNo: boolean, value: string): string {
  if (value === 'true') return `--${name}`
  if (!allowNo) throw new UsageError(`--${name} takes no value.`)
  if (value === 'false') return `--no-${name}`
  throw new UsageError(`--${name} must be true or false, not "${value}".`)
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
  const tokens = readArgv(argv, flags)
  const token = tokens.find(
    ({names, words, lacksValue}) =>
      names.length === 1 && names[0] === name && (words.length === 2 || lacksValue),
  )
  if (!token) return [...argv]
  const {at, value} = token
  const isFree = value !== undefined && (value === '-' || !value.startsWith('-'))
  const others = tokens.filter(({kind}) => kind === 'argument' || kind === 'behind')
  return isFree && others.length >= required ? [...argv] : argv.with(at, `--${name}=`)
}
