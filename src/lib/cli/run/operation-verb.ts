import type {Interfaces} from '@oclif/core'
import type {Operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Parsed, Values} from '#lib/cli/input/call-input.js'
import type {Row} from '#lib/cli/output/format.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import type {CallInput} from '#lib/client/client.js'
import type {Columns} from './columns.js'
import type {Route} from './plan.js'
import type {Printer, PrinterOptions} from './printer.js'
import type {AnyVerb} from './verb-description.js'

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
  /** The argument that may be several; without it the last of the path, where no other follows. */
  readonly several?: string
  /** Arguments after those of the path, and flags beyond those of the operation. */
  readonly args?: Interfaces.ArgInput
  readonly flags?: Interfaces.FlagInput
  /** The flag whose value may be left out. */
  readonly bareFlag?: string
  /** What is sent where the command line says nothing. */
  readonly defaults?: (newId: () => string) => {
    /** By name of the flag. */
    readonly query?: Readonly<Record<string, string>>
    /** By name of the field. */
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
  /** Refuses the command line for one thing. Throws `UsageError`. */
  readonly checkOne?: (given: Parsed) => void
  /** What to send, where it is not just what `standard` gives. Throws `UsageError`. */
  readonly request?: (
    standard: () => Promise<CallInput>,
    parsed: Parsed,
    surroundings: Surroundings,
  ) => Promise<CallInput>
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
  /** Ends the command once all is done; the answer is there where it was one thing. */
  readonly conclude?: (answer: Row | undefined, parsed: Parsed, surroundings: Surroundings) => void
}

/** A verb that is one operation of a service, for one thing or many. */
export interface OperationVerb
  extends
    Omit<OperationOptions, 'args' | 'flags' | 'columns'>,
    Pick<AnyVerb, 'name' | 'summary' | 'description' | 'usage' | 'examples' | 'effect' | 'state'> {
  readonly operation: Operation
  readonly args: Interfaces.ArgInput
  readonly flags: Interfaces.FlagInput
  readonly columns?: Columns
}
