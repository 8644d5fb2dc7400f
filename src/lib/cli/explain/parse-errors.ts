import {Errors} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readArgv, shownName} from '#lib/cli/terminal/read-argv.js'
import {joinWithOr} from '#lib/platform/values.js'

export interface ParsingFailure {
  readonly message: string
  /** The unknown flag, as typed, without a value. */
  readonly unknownFlag?: string
  /** An invalid value, and the valid ones. */
  readonly unknownValue?: {readonly value: string; readonly options: readonly string[]}
}

/** The properties of oclif's parse errors. */
interface Carried {
  readonly args?: ReadonlyArray<string | Argument>
  readonly flags?: readonly string[]
  /** The expected input, and the parsed part of it. */
  readonly parse?: {
    readonly input: {readonly args: Readonly<Record<string, Omit<Argument, 'name'>>>}
    readonly output: {readonly argv: readonly unknown[]}
  }
}

interface Argument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
}

/** The message for an error of oclif's parser; `undefined` for other errors. `known` are the command's arguments. */
export function explainParsing(
  error: unknown,
  known: Readonly<Record<string, {readonly options?: readonly string[]}>> = {},
): ParsingFailure | undefined {
  if (!(error instanceof Errors.CLIError)) return undefined
  const {args, flags, parse} = error as Carried
  const unknownFlag = flags?.[0]
  if (unknownFlag) {
    const name = unknownFlag.split('=')[0]!
    return {message: `Unknown flag ${name}.`, unknownFlag: name}
  }
  const first = args?.[0]
  if (typeof first === 'string') return {message: `Unexpected argument "${first}".`}
  if (first) {
    const {name, description = ''} = (parse && firstMissing(parse)) ?? first
    return {message: `Missing ${shownName(name)}${meaningOf(description)}.`}
  }
  const message = plain(error.message)
  const [, flag, value, options] =
    /^Expected (?:(--\S+?)=)?(.*) to be one of: (.*)$/s.exec(message) ?? []
  if (value === undefined || options === undefined) return {message}
  // oclif does not report the name of an argument.
  const isMeant = (one: string) => known[one]?.options?.join(', ') === options
  const argument = Object.keys(known).find(isMeant)
  const name = flag ?? (argument === undefined ? 'argument' : shownName(argument))
  return {
    message: `Invalid ${name}: must be ${joinWithOr(options.split(', '))}, not ${JSON.stringify(value)}.`,
    unknownValue: {value, options: options.split(', ')},
  }
}

/** The meaning of a missing argument, after a colon: the first sentence of its description, if there is one. */
export function meaningOf(description: string): string {
  const [first = ''] = description.split(/\.(?:\s|$)/)
  if (first === '' || first.startsWith('Accepts several')) return ''
  return `: ${/^[A-Z][a-z]/.test(first) ? first.charAt(0).toLowerCase() + first.slice(1) : first}`
}

/**
 * The first missing argument: words fill arguments in order, so DEST is missing in `cp /a`. oclif reports
 * the repeatable SOURCE instead, because it assigns the last word to the last argument.
 */
function firstMissing({input, output}: NonNullable<Carried['parse']>): Argument | undefined {
  const required = Object.entries(input.args).filter(([, arg]) => arg.required)
  const missing = required[output.argv.length]
  return missing && {...missing[1], name: missing[0]}
}

/** The error for an unexpected word after `-q`; `undefined` for other errors. `flags` are those of the command. */
export function quietMistake(
  error: unknown,
  argv: readonly string[],
  flags: readonly string[],
): UsageError | undefined {
  const word = wordBehindQuiet(argv)
  if (word === undefined || !(error instanceof Errors.CLIError)) return undefined
  const {args = []} = error as Carried
  return typeof args[0] === 'string' ? quietTakesNothing(word, flags) : undefined
}

/** The error for a jq filter after `-q` of a command with repeatable arguments; no path, link or ID starts with a dot. */
export function filterBehindQuiet(argv: readonly string[]): UsageError | undefined {
  const word = wordBehindQuiet(argv)
  return word?.startsWith('.') ? quietTakesNothing(word, []) : undefined
}

/** The error for a value after `-q`; `flags` decide which flags it suggests. */
export function quietTakesNothing(word: string, flags: readonly string[]): UsageError {
  const others = [
    ...(flags.includes('q') ? ['`--q TEXT` to search'] : []),
    '`--jq EXPR` to filter JSON',
  ]
  return new UsageError(
    `-q is short for --quiet and takes no value, but got "${word}".`,
    `Use ${others.join(', or ')}.`,
  )
}

/** The argument directly after `-q`, if any. */
export function wordBehindQuiet(argv: readonly string[]): string | undefined {
  const tokens = readArgv(argv)
  const next = tokens[tokens.findIndex(({spelling}) => spelling === '-q') + 1]
  const isThere = tokens.some(({spelling}) => spelling === '-q')
  return isThere && next?.kind === 'argument' && next.words[0] !== '-' ? next.words[0] : undefined
}

/** Messages of oclif, and their replacements. */
const REWORDED: ReadonlyArray<readonly [RegExp, string]> = [
  [/^Missing required flag (\S+)$/, 'Missing --$1.'],
  [/^Flag (--\S+) expects a value\.?$/, 'Missing value for $1.'],
  [/^Flag (--\S+) can only be specified once\.?$/, '$1 can be given only once.'],
  [
    /^(--[\w-]+)(?:=.*)? cannot also be provided when using (--[\w-]+)\.?$/,
    '$1 and $2 cannot be combined.',
  ],
  [
    /^All of the following must be provided when using (--[\w-]+): (--[\w-]+)\.?$/,
    '$1 requires $2.',
  ],
]

/** The line of oclif's message that describes the error. */
function plain(text: string): string {
  const lines = text
    // eslint-disable-next-line no-control-regex -- removes colors
    .replace(/\u001b\[[\d;]*m/g, '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line && !/^(See more help|The following errors? occurred)/.test(line))
  return REWORDED.reduce((line, [oclifs, ours]) => line.replace(oclifs, ours), lines[0] ?? text)
}
