import {Errors} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {readArgv, shownName} from '#lib/cli/terminal/read-argv.js'

export interface ParsingFailure {
  readonly message: string
  /** The flag nobody knows, as typed, without a value. */
  readonly unknownFlag?: string
  /** A value that is none of a flag's, and these. */
  readonly unknownValue?: {readonly value: string; readonly options: readonly string[]}
}

/** oclif's parse errors carry what they are about beside a text of several lines. */
interface Carried {
  readonly args?: ReadonlyArray<string | Argument>
  readonly flags?: readonly string[]
  /** What was to be read, and as far as it was. */
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

/** One sentence for an error of oclif's parser; `undefined` for any other error. */
export function explainParsing(error: unknown): ParsingFailure | undefined {
  if (!(error instanceof Errors.CLIError)) return undefined
  const {args, flags, parse} = error as Carried
  const unknownFlag = flags?.[0]
  if (unknownFlag) {
    const name = unknownFlag.split('=')[0]!
    return {message: `There is no flag ${name}.`, unknownFlag: name}
  }
  const first = args?.[0]
  if (typeof first === 'string') return {message: `One argument too many: "${first}".`}
  if (first) {
    const {name, description = ''} = (parse && firstMissing(parse)) ?? first
    return {message: `${shownName(name)} is missing: ${description.replace(/\.(\s.*)?$/s, '')}.`}
  }
  const message = plain(error.message)
  const [, flag, value, options] =
    /^Expected (--\S+?)=(.*) to be one of: (.*)$/s.exec(message) ?? []
  if (flag === undefined) return {message}
  return {
    message: `${flag} must be one of ${options!}, not ${JSON.stringify(value)}.`,
    unknownValue: {value: value!, options: options!.split(', ')},
  }
}

/**
 * The first argument that no word is left for: words fill arguments in order, so that `cp /a` lacks
 * DEST. oclif names SOURCE, which may be several, because it gives the last word to the last argument.
 */
function firstMissing({input, output}: NonNullable<Carried['parse']>): Argument | undefined {
  const required = Object.entries(input.args).filter(([, arg]) => arg.required)
  const missing = required[output.argv.length]
  return missing && {...missing[1], name: missing[0]}
}

/**
 * What to say of a word too many behind `-q`, where a search or a filter was meant; `undefined` for
 * any other error. `flags` are those of the command.
 */
export function mistakenQuiet(
  error: unknown,
  argv: readonly string[],
  flags: readonly string[],
): UsageError | undefined {
  const word = wordBehindQuiet(argv)
  if (word === undefined || !(error instanceof Errors.CLIError)) return undefined
  const {args = []} = error as Carried
  return typeof args[0] === 'string' ? quietTakesNothing(word, flags) : undefined
}

/**
 * The same where a command takes several names, so that none is a word too many: of a filter, which
 * begins as no path, link or ID does.
 */
export function filterBehindQuiet(argv: readonly string[]): UsageError | undefined {
  const word = wordBehindQuiet(argv)
  return word?.startsWith('.') ? quietTakesNothing(word, []) : undefined
}

/** `flags` are those that a search and a filter could be, as far as they are there. */
export function quietTakesNothing(word: string, flags: readonly string[]): UsageError {
  const others = [
    ...(flags.includes('q') ? ['a search is `--q TEXT`'] : []),
    'a filter of JSON is `--jq EXPR`',
  ]
  return new UsageError(
    `-q is short for --quiet and takes no value, such as "${word}".`,
    `Did you mean another flag? ${capital(others.join(', '))}.`,
  )
}

/** The word right behind `-q`, where there is one. */
export function wordBehindQuiet(argv: readonly string[]): string | undefined {
  const tokens = readArgv(argv)
  const next = tokens[tokens.findIndex(({spelling}) => spelling === '-q') + 1]
  const isThere = tokens.some(({spelling}) => spelling === '-q')
  return isThere && next?.kind === 'argument' && next.words[0] !== '-' ? next.words[0] : undefined
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The one line of oclif's text that says what is wrong. */
function plain(text: string): string {
  const lines = text
    // eslint-disable-next-line no-control-regex -- colours are what is taken out
    .replace(/\u001b\[[\d;]*m/g, '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line && !/^(See more help|The following errors? occurred)/.test(line))
  return (lines[0] ?? text).replace(/^Missing required flag (\S+)$/, '--$1 is missing')
}
