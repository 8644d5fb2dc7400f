import {UsageError} from '#lib/cli/terminal/errors.js'
import {readArgv} from '#lib/cli/terminal/read-argv.js'
import type {ReadOnlySource} from '#lib/config/settings.js'
import {joinWithOr} from '#lib/platform/values.js'
import {columnsIn} from './columns-flag.js'
import {type FormatName, formats, isStructured} from './formats.js'
import {flagsOfAny, GLOBAL_FLAGS, type GlobalFlagTable, variableOf} from './global-flags.js'

/** Flags that need their own parsing. */
const SPECIAL = [
  ...(['json', 'format', 'columns', 'profile', 'timeout'] as const),
  ...(['read-only', 'no-probe', 'curl'] as const),
]

type Plain = Exclude<keyof GlobalFlagTable, (typeof SPECIAL)[number]>
type CamelCase<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text

type PlainOf<Kind extends string> = {
  [Name in Plain]: GlobalFlagTable[Name]['type'] extends Kind ? CamelCase<Name> : never
}[Plain]

/** The other flags in camel case: `quiet` and `noInput` are booleans, `jq` is a string. */
type PlainOptions = Readonly<Record<PlainOf<'boolean'>, boolean>> &
  Readonly<Partial<Record<PlainOf<'option'>, string>>>

/**
 * The global flags after parsing. `debug` also sets `verbose`, and `--curl` and `--plan` set `dryRun`;
 * `noColor` overrides terminal and environment.
 */
export interface GlobalOptions extends PlainOptions {
  readonly profile?: string
  readonly format?: FormatName
  /** The fields of `--columns`, in order. */
  readonly columns?: readonly string[]
  /** Send an extra request to explain why an item was not found. */
  readonly probe: boolean
  /** The maximum duration of the command, in seconds. */
  readonly timeout?: number
  /** The sources of read-only mode: the flag, its variable, or both. */
  readonly readOnly?: readonly ReadOnlySource[]
}

type Flags = Readonly<Record<string, unknown>>

/**
 * Reads the global flags and their `DRV_…` variables. A flag overrides its variable, and `--format`
 * overrides `DRV_JSON`. Throws `UsageError` for an invalid value.
 */
export function globalOptions(flags: Flags, environment: NodeJS.ProcessEnv): GlobalOptions {
  const isOn = (name: string) => Boolean(flags[name]) || isVariableOn(name, environment)
  const names = Object.keys(GLOBAL_FLAGS).filter(name => !SPECIAL.some(other => other === name))
  const plain = Object.fromEntries(
    names.map(name => {
      const {type, variable} = GLOBAL_FLAGS[name]!
      const text = () => flags[name] ?? (variable && (environment[variableOf(name)] || undefined))
      return [camelCase(name), type === 'boolean' ? isOn(name) : text()]
    }),
  ) as unknown as PlainOptions
  if (plain.plan !== undefined) checkPlan(plain.plan, flags)
  return {
    ...plain,
    profile: flags.profile as string | undefined,
    format: chosenFormat(flags, environment),
    columns: flags.columns === undefined ? undefined : columnsIn(String(flags.columns)),
    verbose: plain.verbose || plain.debug,
    probe: !isOn('no-probe'),
    timeout: seconds(flags.timeout, environment),
    dryRun: plain.dryRun || Boolean(flags.curl) || plain.plan !== undefined,
    readOnly: [
      ...(flags['read-only'] ? (['flag'] as const) : []),
      ...(isVariableOn('read-only', environment) ? (['environment'] as const) : []),
    ],
  }
}

/** Throws `UsageError` for an empty name of a plan file, and for flags that print something else. */
function checkPlan(plan: string, flags: Flags): void {
  if (plan === '') throw new UsageError('Invalid --plan: must be a file, or - for standard output.')
  const other = ['curl', 'dry-run'].find(name => flags[name])
  if (other === undefined) return
  throw new UsageError(`--plan and --${other} cannot be combined.`, 'Remove one of them.')
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function chosenFormat(flags: Flags, environment: NodeJS.ProcessEnv): FormatName | undefined {
  const format = flags.format as FormatName | undefined
  if (flags.json && format && format !== 'json') {
    throw new UsageError(`--json and --format ${format} cannot be combined.`)
  }
  if (flags.jq !== undefined && format && !JQ_READS.includes(format)) {
    throw new UsageError(
      `--jq and --format ${format} cannot be combined: jq reads JSON.`,
      'Remove --format, or pass --format ndjson to filter each record.',
    )
  }
  if (flags.json) return 'json'
  // Formats of content, such as pdf, are not output formats.
  if (format) return Object.hasOwn(formats, format) ? format : undefined
  if (flags.jq !== undefined) return environment.DRV_FORMAT === 'ndjson' ? 'ndjson' : 'json'
  const {DRV_FORMAT: variable = ''} = environment
  if (Object.hasOwn(formats, variable)) return variable as FormatName
  if (variable !== '') {
    throw wrongVariable('DRV_FORMAT', variable, joinWithOr(Object.keys(formats)))
  }
  return isVariableOn('json', environment) ? 'json' : undefined
}

const JQ_READS: readonly FormatName[] = ['json', 'ndjson']

const ON = ['1', 'true', 'yes', 'on']
const OFF = ['', '0', 'false', 'no', 'off']

/** Whether the variable of a flag without a value turns it on. */
function isVariableOn(flag: string, environment: NodeJS.ProcessEnv): boolean {
  if (!GLOBAL_FLAGS[flag]?.variable) return false
  const name = variableOf(flag)
  const value = environment[name] ?? ''
  if (OFF.includes(value.toLowerCase())) return false
  if (ON.includes(value.toLowerCase())) return true
  throw wrongVariable(name, value, '1, true, 0, false or empty')
}

function seconds(flag: unknown, {DRV_TIMEOUT: variable}: NodeJS.ProcessEnv): number | undefined {
  const text = flag === undefined ? variable || undefined : String(flag)
  if (text === undefined) return undefined
  const value = Number(text)
  // A timer of Node holds at most 2^31 - 1 milliseconds.
  if (text.trim() !== '' && value > 0 && value * 1000 < 2 ** 31) return value
  const allowed = 'a number of seconds above 0'
  if (flag === undefined) throw wrongVariable('DRV_TIMEOUT', text, allowed)
  throw new UsageError(`Invalid --timeout: must be ${allowed}, not "${text}".`)
}

function wrongVariable(name: string, value: string, allowed: string): UsageError {
  return new UsageError(
    `Invalid ${name}: must be ${allowed}, not "${value}".`,
    `Unset it, or set it to a valid value.`,
  )
}

/** Whether a boolean flag is on, even if parsing failed. */
export function isOnByDefault(
  flag: string,
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
): boolean {
  const isGiven = readArgv(argv, flagsOfAny).some(
    ({names, spelling, value}) =>
      names.includes(flag) && (value === undefined || !spelling.startsWith('--')),
  )
  if (isGiven) return true
  try {
    return isVariableOn(flag, environment)
  } catch {
    return false
  }
}

/** Whether errors are printed as JSON; reads argv and the environment, since parsing may have failed. */
export function wantsJson(argv: readonly string[], environment: NodeJS.ProcessEnv): boolean {
  if (isOnByDefault('json', argv, {})) return true
  const format = readArgv(argv, flagsOfAny).find(({spelling}) => spelling === '--format')
  if (format) return isStructured(format.value)
  return environment.DRV_FORMAT
    ? isStructured(environment.DRV_FORMAT)
    : isOnByDefault('json', [], environment)
}
