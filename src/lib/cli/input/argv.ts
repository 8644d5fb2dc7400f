import type {Interfaces} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readArgv} from '#lib/cli/terminal/read-argv.js'

/**
 * Argv in a form that oclif parses: `--convert=false` becomes `--no-convert`, and flags named like a
 * property of `Object.prototype`, such as `--constructor`, are resolved; `-o json` becomes `--format json`
 * in commands that have no flag `-o`. Arguments after `--` are kept.
 * Throws `UsageError` for an invalid boolean value, which oclif would parse as an argument, and for an
 * unknown flag of such a name.
 */
export function normalizeArgv(argv: readonly string[], flags: Interfaces.FlagInput): string[] {
  return readArgv(withFormat(argv, flags), flags).flatMap(
    ({words, spelling, names: [name], value}) => {
      const [, ...rest] = words
      const isInline = value !== undefined && rest.length === 0
      const long = spelling.startsWith('--') ? spelling.slice(2) : ''
      const flag = name === undefined || long === '' ? undefined : flags[name]!
      if (flag?.type === 'boolean' && isInline) {
        const isNo = ![name, ...(flag.aliases ?? [])].includes(long)
        return booleanFlag(isNo ? `no-${name}` : name!, flag.allowNo && !isNo, value)
      }
      if (!(long in Object.prototype)) return words
      if (!flag) throw new UsageError(`Unknown flag --${long}.`)
      return [isInline ? `--${name}=${value}` : `--${name}`, ...rest]
    },
  )
}

/** Argv with `--format` for an unknown `-o` in front of a format, as in kubectl. */
function withFormat(argv: readonly string[], flags: Interfaces.FlagInput): readonly string[] {
  const {format} = flags
  const formats = format?.type === 'option' ? (format.options ?? []) : []
  const token = readArgv(argv, flags).find(
    ({kind, spelling, isKnown}) => kind === 'flag' && spelling === '-o' && !isKnown,
  )
  const isFormat = token !== undefined && formats.includes(argv[token.at + 1] ?? '')
  return isFormat ? argv.with(token.at, '--format') : argv
}

function booleanFlag(name: string, allowNo: boolean, value: string): string {
  if (value === 'true') return `--${name}`
  if (!allowNo) throw new UsageError(`Invalid --${name}: this flag takes no value.`)
  if (value === 'false') return `--no-${name}`
  throw new UsageError(`Invalid --${name}: must be true or false, not "${value}".`)
}

/**
 * Argv in which the flag `name`, whose value is optional, has an empty value if it has none, because oclif
 * does not support optional values. The next argument is the value unless it is a flag or is needed to
 * provide the command's `required` number of arguments.
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
