import type {Interfaces} from '@oclif/core'
import type {Context, Counterpart} from '#lib/cli/context/context.js'
import type {Effect} from '#lib/cli/guard/effects.js'
import type {Values} from '#lib/cli/input/call-input.js'
import type {Given, Need} from '#lib/cli/input/missing-inputs.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import type {Columns} from './columns.js'
import type {Example} from './operation-help.js'
import type {Printer, PrinterOptions} from './printer.js'

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
  readonly effect: Effect
  readonly state?: 'deprecated'
  /**
   * The columns of its records, for given flags where these decide; none by default. `undefined` from
   * the function says that `run` settles `--columns` itself.
   */
  readonly columns?: Columns | ((flags: Values, options: GlobalOptions) => Columns | undefined)
  /** How its results are printed, where that is not as usual. */
  printing?(flags: Values, context: Context): Omit<PrinterOptions, 'jq'>
  /** Scopes of which the service requires one. */
  readonly acceptedScopes?: readonly string[] | ((flags: Values) => readonly string[])
  /** `false` for a sign-in, whose token is not the one in force. */
  readonly usesToken?: false
  /** The part of the command line that is parsed; by default all of it. */
  ownArgv?(argv: readonly string[]): readonly string[]
  /** Refuses the command before a person is asked for missing inputs. */
  beforeAsking?(context: Context): Promise<void>
  /** Required inputs that are missing, beyond required arguments and flags. */
  missing?(given: Given): readonly Need[]
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
