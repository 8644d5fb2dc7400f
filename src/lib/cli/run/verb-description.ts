import type {Interfaces} from '@oclif/core'
import {isBuiltIn, type Operation} from '#lib/api/operations.js'
import type {Context, Counterpart} from '#lib/cli/context/context.js'
import type {Failure} from '#lib/cli/explain/explain.js'
import type {Effect} from '#lib/cli/guard/destroys.js'
import type {Parsed, Values} from '#lib/cli/input/call-input.js'
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
  /** Everything behind the command, as typed. */
  readonly argv: readonly string[]
  /** The words that are no flags, in order. */
  readonly words: readonly string[]
}

/**
 * A command, described once: the manifest, help, completion, `--columns`, the read-only guard and the
 * documentation read this.
 */
export interface Verb<A extends Args = Args, F extends Flags = Flags, Input = ParsedInput<A, F>> {
  /** What one types behind `drv`; by default the command's ID. */
  readonly name?: string
  /** One sentence in the imperative. */
  readonly summary: string
  readonly description?: string
  /** Behind `drv`; by default the arguments in order. */
  readonly usage?: string
  readonly examples: readonly Example[]
  readonly args?: A
  readonly flags?: F
  /** The global flags, where these are not the usual ones. */
  readonly baseFlags?: Flags
  /** The flag whose value may be left out. */
  readonly bareFlag?: string
  /** `false` accepts more words than there are arguments. */
  readonly strict?: false
  /**
   * Words of other tools for the command, with the flags or arguments that belong to them behind:
   * `upload`, `grep --content`, `api about = about`. Help does not list them. Only words that mean one thing and destroy nothing.
   */
  readonly aliases?: readonly string[]
  readonly effect: Effect
  /** Its place among the verbs of every day, in the order of a day, on the first screen of help. */
  readonly everyDay?: number
  readonly state?: 'deprecated'
  /**
   * The columns of its records, for given flags where these decide; none by default. `undefined` from
   * the function says that `run` settles `--columns` itself.
   */
  readonly columns?: Columns | ((flags: Values, options: GlobalOptions) => Columns | undefined)
  /** How its results are printed, where that is not as usual. */
  printing?(flags: Values, context: Context): Omit<PrinterOptions, 'jq'>
  /** Its records are those of the API, as the service sends them; in those of other verbs numbers are numbers. */
  readonly isOfApi?: boolean
  /** Scopes of which the service requires one. */
  readonly acceptedScopes?: readonly string[] | ((flags: Values) => readonly string[])
  /** `false` for a sign-in, whose token is not the one in force. */
  readonly usesToken?: false
  /** The part of the command line that is parsed; by default all of it. */
  ownArgv?(argv: readonly string[], known: KnownFlags): readonly string[]
  /** Refuses the command before a person is asked for missing inputs. */
  beforeAsking?(context: Context): Promise<void>
  /** Required inputs that are missing, beyond required arguments and flags. */
  missing?(given: PartialInput): readonly MissingInput[]
  /** Missing inputs are asked for as text: their names say nothing of what they are. */
  readonly asksForText?: boolean
  /** The verb that the command line turns out to be about; it is read anew for that one, and run. */
  delegate?(input: Input, context: Context): Promise<Delegate>
  run(input: Input, context: Context, printer: Printer): Promise<void>
}

/** A verb that takes over from another one, the words behind it, and whom it talks to. */
export interface Delegate {
  readonly verb: AnyVerb
  readonly argv: readonly string[]
  readonly counterpart?: Counterpart
}

/** The command line after parsing, as what knows no flags by name has it. */
export interface Line extends Pick<ParsedInput, 'argv' | 'words'> {
  readonly args: Values
  readonly flags: Values
}

/** A verb as what runs it knows it. */
export type AnyVerb = Verb<Args, Flags, Line>

/** What the functions of an operation's options work with. */
export interface Surroundings {
  readonly context: Context
  readonly printer: Printer
  /** Everything behind the command, as typed. */
  readonly argv: readonly string[]
}

/** What the command of an operation does besides what the description says. */
export interface OperationOptions {
  /** What the help says beyond the description of the operation. */
  readonly more?: string
  /** The commands to use instead, for a deprecated operation. */
  readonly successors?: readonly string[]
  /** Words of other tools for it, where they are not those of every operation of its kind. */
  readonly aliases?: readonly string[]
  /** The argument that may be several; without it the last of the path, where no other follows. */
  readonly several?: string
  /** Arguments after those of the path, and flags beyond those of the operation. */
  readonly args?: Interfaces.ArgInput
  readonly flags?: Interfaces.FlagInput
  /** The flag whose value may be left out. */
  readonly bareFlag?: string
  /** What is sent where the command line says nothing. */
  readonly defaults?: {
    /** By name of the flag; `NEW_ID` for a new one. */
    readonly query?: Readonly<Record<string, unknown>>
    /** By name of the field; `NEW_ID` for a new one. */
    readonly body?: Readonly<Record<string, unknown>>
  }
  /** To people too an answer is the row that it would be in a list. */
  readonly isBrief?: boolean
  /** Records are completed with the paths that lead to them, unless the output names its fields. */
  readonly withPaths?: boolean
  /** The operation, where the flags decide. */
  readonly operationFor?: (flags: Values) => Operation
  /** The command line as everything else reads it. Throws `UsageError`. */
  readonly settle?: (given: Parsed) => Parsed
  /** Refuses the command before anything is sent. */
  readonly refuse?: (context: Context) => Promise<void>
  /** Refuses the command line for one thing. Throws `UsageError`. */
  readonly checkOne?: (given: Parsed) => void
  /** What to send, where it is not just what `standard` gives. Throws `UsageError`. */
  readonly request?: (
    standard: () => Promise<CallInput>,
    parsed: Parsed,
    surroundings: Surroundings,
  ) => Promise<CallInput>
  /**
   * Whether a record of the pages is printed, where the flags choose some of all; `undefined` where they
   * do not. Throws `UsageError`.
   */
  readonly selects?: (given: Parsed, now: number) => ((record: Row) => boolean) | undefined
  /** How a request is carried out, where it is not just sent. */
  readonly route?: (
    input: CallInput,
    parsed: Parsed,
    surroundings: Surroundings,
  ) => Route | undefined
  /** Prints the answer for one thing; `standard` prints a record as other operations do. */
  readonly print?: (
    answer: Row | undefined,
    parsed: Parsed,
    surroundings: Surroundings,
    standard: (answer: Row | undefined) => Promise<void>,
  ) => Promise<void>
  /** The columns of its records, where they are not those of the response. */
  readonly columns?: readonly string[]
  /** How its results are printed, where that is not as usual. */
  readonly printing?: (options: GlobalOptions) => Pick<PrinterOptions, 'adapt' | 'columns'>
}

/** A verb that is one operation of a service, for one thing or many. */
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

/** What a command does for one thing, for whoever does it for many. */
export interface ItemRunner {
  readonly context: Context
  readonly operation: Operation
  readonly results: ResultsPlace
  /** Throws `UsageError`, before anything is sent. */
  check(given: Parsed): Promise<UnresolvedRequest>
  route(input: CallInput, parsed: Parsed): Route
  /** Whether it may destroy something, and nobody said yes yet. */
  mayDestroy(input: CallInput): boolean
  /** Throws `UsageError` where it destroys something and nobody can be asked. */
  refuseUnasked(inputs: readonly CallInput[]): void
  /** Asks the person once, where that is needed; rejects when they do not agree. */
  ask(inputs: readonly CallInput[]): Promise<void>
  explain(error: unknown): Failure
}

/** What a command line is for, and the line: without `drv` in front, or whole behind `$ `. */
export type Example = readonly [purpose: string, line: string]

/** Examples as oclif's help shows them. */
export function examplesOf(examples: readonly Example[]) {
  return examples.map(([description, line]) => ({
    description,
    command: line.startsWith('$ ') ? line.slice(2) : `<%= config.bin %> ${line}`,
  }))
}

/** The command of an operation as people type it: `files generate-ids`, or `api call` for another description's. */
export function commandLine({id, resource, verb, document}: Operation): string {
  return isBuiltIn(document) ? `${resource} ${kebabCase(verb)}` : `api call ${id}`
}

/** What one writes to use it, without the many flags: the help lists them below. */
export function usageOf(described: Operation, args: Interfaces.ArgInput): string {
  const words = Object.entries(args).map(([name, arg]) => argumentWord({...arg, name}))
  return [commandLine(described), ...words, '[FLAGS]'].join(' ')
}

/** The description's first sentence; oclif shows it by itself, so the rest goes on from there. */
export function splitSentence(text: string): readonly [first: string, rest: string] {
  const first = /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text
  return [first, text.slice(first.length).trim()]
}

/** What the help says: the rest of the description, `more`, and the request. */
export function helpText({description, httpMethod, path}: Operation, more?: string): string {
  const about = [splitSentence(description)[1], more].filter(Boolean).join(' ')
  return [about, `The request is ${httpMethod} ${path}.`].filter(Boolean).join('\n\n')
}
