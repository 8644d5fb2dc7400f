import type {Interfaces} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import type {Effect} from '#lib/cli/guard/destroys.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {hasFrom, optionalArgs} from '#lib/cli/input/items/several.js'
import type {Given, Need} from '#lib/cli/input/missing-inputs.js'
import type {GlobalOptions} from '#lib/cli/output/global-options.js'
import {BaseCommand} from './base-command.js'
import type {Columns} from './columns.js'
import {type Example, examplesOf} from './operation-help.js'
import type {Printer} from './printer.js'

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
 * documentation read this. A command that is one operation of the service is an `operationCommand`.
 */
export interface Verb<A extends Args, F extends Flags> {
  /** One sentence in the imperative. */
  readonly summary: string
  readonly description?: string
  /** Behind `drv`; by default the arguments in order. */
  readonly usage?: string
  readonly examples: readonly Example[]
  readonly args?: A
  readonly flags?: F
  /** `false` accepts more words than there are arguments. */
  readonly strict?: false
  readonly effect: Effect
  /**
   * The columns of its records, for given flags where these decide; none by default. `undefined` from
   * the function says that `run` settles `--columns` itself.
   */
  readonly columns?: Columns | ((flags: Values, options: GlobalOptions) => Columns | undefined)
  /** Scopes of which the service requires one. */
  readonly acceptedScopes?: readonly string[]
  /** `false` for a sign-in, whose token is not the one in force. */
  readonly usesToken?: false
  /** The part of the command line that is parsed; by default all of it. */
  ownArgv?(argv: readonly string[]): readonly string[]
  /** Refuses the command before a person is asked for missing inputs. */
  beforeAsking?(context: Context): Promise<void>
  /** Required inputs that are missing, beyond required arguments and flags. */
  missing?(given: Given): readonly Need[]
  run(input: ParsedInput<A, F>, context: Context, printer: Printer): Promise<void>
}

/** oclif's command of a verb: a class of its own for each, because oclif writes the ID onto it. */
export function verb<A extends Args = Record<never, never>, F extends Flags = Record<never, never>>(
  described: Verb<A, F>,
) {
  const {args = {} as A, flags = {} as F, columns = []} = described
  return class VerbCommand extends BaseCommand {
    static override summary = described.summary
    static override description = described.description
    static override usage = described.usage
    static override examples = examplesOf(described.examples)
    static override args = args
    static override flags = flags
    static override strict = described.strict ?? true
    static override effect = described.effect

    protected override readonly usesToken = described.usesToken ?? true

    protected override columns(given: Values) {
      return typeof columns === 'function' ? columns(given, this.context.options) : columns
    }

    protected override acceptedScopes() {
      return described.acceptedScopes
    }

    protected override lacks(given: Given): readonly Need[] {
      return described.missing?.(given) ?? []
    }

    protected override async beforeAsking(context: Context): Promise<void> {
      await described.beforeAsking?.(context)
    }

    protected override async execute(): Promise<void> {
      const {argv} = this
      // With records to come no argument is needed on the command line.
      const reading = {
        args: 'from' in flags && hasFrom(argv) ? optionalArgs(args) : args,
        flags,
        baseFlags: VerbCommand.baseFlags,
        strict: VerbCommand.strict,
      }
      const parsed = await this.parse(reading, [...(described.ownArgv?.(argv) ?? argv)])
      const input = {args: parsed.args, flags: parsed.flags, argv, words: parsed.argv}
      await described.run(input as unknown as ParsedInput<A, F>, this.context, this.printer)
    }
  }
}
