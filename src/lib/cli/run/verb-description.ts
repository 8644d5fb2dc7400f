import type {Interfaces} from '@oclif/core'
import {isBuiltIn, type Operation} from '#lib/api/operations.js'
import type {Context, ServiceIdentity} from '#lib/cli/context/context.js'
import type {Failure} from '#lib/cli/explain/explain.js'
import type {Effect} from '#lib/cli/guard/destroys.js'
import type {FlagValues, Parsed} from '#lib/cli/input/call-input.js'
import type {MissingInput, PartialInput} from '#lib/cli/input/missing-inputs.js'
import type {UnresolvedRequest} from '#lib/cli/input/names/request-names.js'
import type {Row} from '#lib/cli/output/format.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import {argumentWord, type KnownFlags} from '#lib/cli/terminal/read-argv.js'
import type {CallInput} from '#lib/client/client.js'
import {kebabCase} from '#lib/platform/values.js'
import type {Route} from './plan.js'
import type {Columns, Printer, PrinterOptions} from './printer.js'
import type {ResultsPlace} from './report.js'

type Args = Interfaces.ArgInput
type Flags = Interfaces.FlagInput

/** The command line after parsing. */
export interface ParsedInput<A extends Args = Args, F extends Flags = Flags> {
  readonly args: Interfaces.InferredArgs<A>
  readonly flags: Interfaces.InferredFlags<F>
  /** Everything after the command, as typed. */
  readonly argv: readonly string[]
  /** The words that are not flags, in order. */
  readonly words: readonly string[]
}

/**
 * A command, described once. The manifest, help, completion, `--columns`, read-only mode and the
 * documentation are derived from it.
 */
export interface Verb<A extends Args = Args, F extends Flags = Flags, Input = ParsedInput<A, F>> {
  /** The words after `drv` (default: the command's ID). */
  readonly name?: string
  /** One sentence in the imperative. */
  readonly summary: string
  readonly description?: string
  /** The usage line after `drv` (default: the arguments in order). */
  readonly usage?: string
  readonly examples: readonly Example[]
  readonly args?: A
  readonly flags?: F
  /** The global flags, if not the default ones. */
  readonly baseFlags?: Flags
  /** The flag whose value is optional. */
  readonly bareFlag?: string
  /** `false` accepts extra arguments. */
  readonly strict?: false
  /**
   * Words of other tools for the command, with their flags, or their arguments after `=`: `upload`,
   * `grep --content`, `api about = about`. Help does not list them. Only unambiguous words that destroy nothing.
   */
  readonly aliases?: readonly string[]
  readonly effect: Effect
  /** `--plan` can write its changes. */
  readonly isPlannable?: boolean
  /** It only reads, and `--dry-run` shows its requests. */
  readonly previewsReads?: true
  /** The position among the everyday commands in help. */
  readonly everyDay?: number
  readonly state?: 'deprecated'
  /**
   * The columns of its records (default: none); a function if the flags decide, which returns `undefined`
   * if `run` handles `--columns` itself.
   */
  readonly columns?: Columns | ((flags: FlagValues, options: GlobalOptions) => Columns | undefined)
  /** Options of the printer. */
  printing?(flags: FlagValues, context: Context): Omit<PrinterOptions, 'jq'>
  /** Prints records as the service sends them, with numbers as strings. */
  readonly isOfApi?: boolean
  /** The scopes that allow the request; the token needs one of them. */
  readonly acceptedScopes?: readonly string[] | ((flags: FlagValues) => readonly string[])
  /** Makes changes that a plan file describes, as the policy `require-plan` demands. */
  readonly appliesPlan?: true
  /** `false` for a sign-in, which does not use the current token. */
  readonly usesToken?: false
  /** The part of the command line to parse (default: all of it). */
  ownArgv?(argv: readonly string[], known: KnownFlags): readonly string[]
  /** Throws if the command cannot run, before prompting for missing inputs. */
  beforeAsking?(context: Context): Promise<void>
  /** Required inputs that are missing, beyond required arguments and flags. */
  missing?(given: PartialInput): readonly MissingInput[]
  /** Prompts for missing inputs as plain text, because their names have no known meaning. */
  readonly asksForText?: boolean
  /** Returns a verb to run instead, which parses the command line again. */
  delegate?(input: Input, context: Context): Promise<Delegate>
  run(input: Input, context: Context, printer: Printer): Promise<void>
}

/** A verb that replaces another one, its argv, and its API. */
export interface Delegate {
  readonly verb: AnyVerb
  readonly argv: readonly string[]
  readonly counterpart?: ServiceIdentity
}

/** The command line after parsing, with untyped flags. */
export interface ParsedLine extends Pick<ParsedInput, 'argv' | 'words'> {
  readonly args: FlagValues
  readonly flags: FlagValues
}

/** A verb with untyped flags. */
export type AnyVerb = Verb<Args, Flags, ParsedLine>

/** The inputs of the functions in `OperationOptions`. */
export interface RunInputs {
  readonly context: Context
  readonly printer: Printer
  /** Everything after the command, as typed. */
  readonly argv: readonly string[]
}

/** Behavior of an operation's command beyond the description. */
export interface OperationOptions {
  /** Additional help text. */
  readonly more?: string
  /** The commands to use instead, for a deprecated operation. */
  readonly successors?: readonly string[]
  /** Words of other tools for it, where they are not those of every operation of its kind. */
  readonly aliases?: readonly string[]
  /** The repeatable argument (default: the last of the path, if no argument follows). */
  readonly several?: string
  /** Arguments after those of the path, and flags beyond those of the operation. */
  readonly args?: Interfaces.ArgInput
  readonly flags?: Interfaces.FlagInput
  /** The flag whose value is optional. */
  readonly bareFlag?: string
  /** Default values of the request. */
  readonly defaults?: {
    /** By name of the flag; `NEW_ID` for a new one. */
    readonly query?: Readonly<Record<string, unknown>>
    /** By name of the field; `NEW_ID` for a new one. */
    readonly body?: Readonly<Record<string, unknown>>
  }
  /** Prints a single response as a row for people too. */
  readonly isBrief?: boolean
  /** Adds paths to records, unless the format selects fields. */
  readonly withPaths?: boolean
  /** The operation, if the flags decide. */
  readonly operationFor?: (flags: FlagValues) => Operation
  /** Normalizes the parsed command line. Throws `UsageError`. */
  readonly settle?: (given: Parsed) => Parsed
  /** Throws if the command cannot run, before any request. */
  readonly refuse?: (context: Context) => Promise<void>
  /** Checks the command line for one item. Throws `UsageError`. */
  readonly checkOne?: (given: Parsed) => void
  /** The request, if different from that of `standard`. Throws `UsageError`. */
  readonly request?: (
    standard: () => Promise<CallInput>,
    parsed: Parsed,
    surroundings: RunInputs,
  ) => Promise<CallInput>
  /** The filter for records that the flags set; `undefined` without one. Throws `UsageError`. */
  readonly selects?: (given: Parsed, now: number) => ((record: Row) => boolean) | undefined
  /** The route of a request, if not a single call. */
  readonly route?: (input: CallInput, parsed: Parsed, surroundings: RunInputs) => Route | undefined
  /** Prints the response for one item; `standard` prints a record as usual. */
  readonly print?: (
    answer: Row | undefined,
    parsed: Parsed,
    surroundings: RunInputs,
    standard: (answer: Row | undefined) => Promise<void>,
  ) => Promise<void>
  /** The columns, if not those of the response. */
  readonly columns?: readonly string[]
  /** Options of the printer. */
  readonly printing?: (options: GlobalOptions) => Pick<PrinterOptions, 'adapt' | 'columns'>
}

/** A verb that is one operation of a service, for one item or many. */
export interface OperationVerb
  extends
    Omit<OperationOptions, 'args' | 'flags' | 'columns'>,
    Pick<
      AnyVerb,
      'name' | 'summary' | 'description' | 'usage' | 'examples' | 'effect' | 'everyDay' | 'state'
    > {
  readonly operation: Operation
  readonly args: Interfaces.ArgInput
  readonly flags: Interfaces.FlagInput
  readonly columns?: Columns
}

/** The functions of a command for one item, used to run many. */
export interface ItemRunner {
  readonly context: Context
  readonly operation: Operation
  /** It changes nothing. */
  readonly isReading: boolean
  readonly results: ResultsPlace
  /** Throws `UsageError`; sends nothing. */
  check(given: Parsed): Promise<UnresolvedRequest>
  route(input: CallInput, parsed: Parsed): Route
  /** Whether it can destroy something and is not confirmed yet. */
  mayDestroy(input: CallInput): boolean
  /** Throws `UsageError` if it destroys something and drv cannot prompt. */
  refuseUnconfirmed(inputs: readonly CallInput[]): void
  /** Asks for confirmation if needed; rejects if the user declines. */
  ask(inputs: readonly CallInput[]): Promise<void>
  explain(error: unknown): Failure
}

/** A description and a command line: without `drv`, or a full shell line after `$ `. */
export type Example = readonly [purpose: string, line: string]

/** Examples in oclif's form. */
export function examplesOf(examples: readonly Example[]) {
  return examples.map(([description, line]) => ({
    description,
    command: line.startsWith('$ ') ? line.slice(2) : `<%= config.bin %> ${line}`,
  }))
}

/** The command of an operation: `files generate-ids`, or `api call METHOD` for another API. */
export function commandLine({id, resource, verb, document}: Operation): string {
  return isBuiltIn(document) ? `${resource} ${kebabCase(verb)}` : `api call ${id}`
}

/** The usage line of an operation, without its flags. */
export function operationUsage(described: Operation, args: Interfaces.ArgInput): string {
  const words = Object.entries(args).map(([name, arg]) => argumentWord({...arg, name}))
  return [commandLine(described), ...words, '[FLAGS]'].join(' ')
}

/** Splits a description into its first sentence, which is the summary, and the rest. */
export function splitSentence(text: string): readonly [first: string, rest: string] {
  const first = /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text
  return [first, text.slice(first.length).trim()]
}

/** The help text: the rest of the description, `more`, and the request. */
export function operationDescription(
  {description, httpMethod, path}: Operation,
  more?: string,
): string {
  const about = [splitSentence(description)[1], more].filter(Boolean).join(' ')
  return [about, `Request: ${httpMethod} ${path}`].filter(Boolean).join('\n\n')
}
