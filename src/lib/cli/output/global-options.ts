import {type FormatName, formats, isStructured} from './formats.js'
import {columnsIn} from './columns-flag.js'
import type {ReadOnlySource} from '#lib/config/settings.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {hasShort} from './flag-order.js'

/** The global flags after parsing, in the words of the code. */
export interface GlobalOptions {
  readonly profile?: string
  readonly format?: FormatName
  /** Fields to show, in this order, where some were named. */
  readonly columns?: readonly string[]
  /** What jq makes of the results. */
  readonly jq?: string
  readonly quiet: boolean
  /** Tell each request. */
  readonly verbose: boolean
  /** Tell where an error comes from; each request is told as well. */
  readonly debug: boolean
  readonly noInput: boolean
  /** No colours, whatever the terminal and the environment say. */
  readonly noColor: boolean
  /** Results go to the terminal itself, however long they are. */
  readonly noPager: boolean
  /** Ask the service once more why something was not found. */
  readonly probe: boolean
  /** Seconds until the whole command gives up. */
  readonly timeout?: number
  /** Show what would be done. */
  readonly dryRun: boolean
  /** Which of the flag and its variable say that nothing is to be changed. */
  readonly readOnly?: readonly ReadOnlySource[]
}

type Flags = Readonly<Record<string, unknown>>

/**
 * Reads the global flags. Each has a variable, `DRV_` and its name, over which the flag wins, and
 * `--format` over `DRV_JSON`. Throws `UsageError` for a value that is not allowed.
 */
export function globalOptions(flags: Flags, environment: NodeJS.ProcessEnv): GlobalOptions {
  const isOn = (name: string) => Boolean(flags[name]) || isVariableOn(name, environment)
  const debug = isOn('debug')
  return {
    profile: flags.profile as string | undefined,
    format: chosenFormat(flags, environment),
    columns: flags.columns === undefined ? undefined : columnsIn(String(flags.columns)),
    jq: flags.jq as string | undefined,
    quiet: isOn('quiet'),
    verbose: isOn('verbose') || debug,
    debug,
    probe: !isOn('no-probe'),
    noInput: isOn('no-input'),
    noColor: isOn('no-color'),
    noPager: isOn('no-pager'),
    timeout: seconds(flags.timeout, environment),
    dryRun: isOn('dry-run') || Boolean(flags.curl),
    readOnly: [
      ...(flags['read-only'] ? (['flag'] as const) : []),
      ...(isVariableOn('read-only', environment) ? (['environment'] as const) : []),
    ],
  }
}

function chosenFormat(flags: Flags, environment: NodeJS.ProcessEnv): FormatName | undefined {
  const format = flags.format as FormatName | undefined
  if (flags.json && format && format !== 'json') {
    throw new UsageError(`--json and --format ${format} exclude each other.`)
  }
  if (flags.jq !== undefined && format && !JQ_READS.includes(format)) {
    throw new UsageError(
      `--jq and --format ${format} exclude each other: jq reads JSON.`,
      'Leave out --format, or use --format ndjson, where it sees each record by itself.',
    )
  }
  if (flags.json) return 'json'
  if (format) return format
  if (flags.jq !== undefined) return environment.DRV_FORMAT === 'ndjson' ? 'ndjson' : 'json'
  const {DRV_FORMAT: variable = ''} = environment
  if (Object.hasOwn(formats, variable)) return variable as FormatName
  if (variable !== '') {
    const all = Object.keys(formats)
    throw wrongVariable('DRV_FORMAT', variable, `one of ${all.join(', ')}`)
  }
  return isVariableOn('json', environment) ? 'json' : undefined
}

const JQ_READS: readonly FormatName[] = ['json', 'ndjson']

const ON = ['1', 'true', 'yes', 'on']
const OFF = ['', '0', 'false', 'no', 'off']

/** The variable that stands in for a global flag. */
export function variableOf(flag: string): string {
  return `DRV_${flag.toUpperCase().replaceAll('-', '_')}`
}

/** Whether the variable of a flag without a value turns it on. */
function isVariableOn(flag: string, environment: NodeJS.ProcessEnv): boolean {
  const name = variableOf(flag)
  const value = environment[name] ?? ''
  if (OFF.includes(value.toLowerCase())) return false
  if (ON.includes(value.toLowerCase())) return true
  throw wrongVariable(name, value, '1 or true, or empty, 0 or false')
}

function seconds(flag: unknown, {DRV_TIMEOUT: variable}: NodeJS.ProcessEnv): number | undefined {
  const text = flag === undefined ? variable || undefined : String(flag)
  if (text === undefined) return undefined
  const value = Number(text)
  // A timer of Node holds at most 2^31 - 1 milliseconds.
  if (text.trim() !== '' && value > 0 && value * 1000 < 2 ** 31) return value
  const allowed = 'a number of seconds above 0'
  if (flag === undefined) throw wrongVariable('DRV_TIMEOUT', text, allowed)
  throw new UsageError(`--timeout must be ${allowed}, not "${text}".`)
}

function wrongVariable(name: string, value: string, allowed: string): UsageError {
  return new UsageError(
    `The variable ${name} must be ${allowed}, not "${value}".`,
    `Unset it, or set it to what it may be.`,
  )
}

/** Whether a flag without a value is on, where its parsing may have failed. */
export function isOnAnyway(
  flag: string,
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): boolean {
  if (beforeDashes(argv).some(word => word === `--${flag}` || hasShort(word, flag))) return true
  try {
    return isVariableOn(flag, environment)
  } catch {
    return false
  }
}

/**
 * Whether errors are JSON, as the results would be; argv and the environment say so, for parsing may
 * have failed.
 */
export function wantsJson(argv: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  const words = beforeDashes(argv)
  const formatAt = words.findIndex(word => /^--format(=|$)/.test(word))
  const format = words[formatAt]?.slice('--format='.length) || words[formatAt + 1]
  if (isOnAnyway('json', words, {})) return true
  if (formatAt >= 0) return isStructured(format)
  return environment.DRV_FORMAT
    ? isStructured(environment.DRV_FORMAT)
    : isOnAnyway('json', [], environment)
}

function beforeDashes(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}
