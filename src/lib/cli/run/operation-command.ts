import {Flags, type Interfaces} from '@oclif/core'
import {type Operation, operation, type OperationId} from '#lib/api/operations.js'
import {lossOf} from '#lib/cli/guard/destroys.js'
import {type Effect, effectOf} from '#lib/cli/guard/destroys.js'
import {manyFlags, withSeveral} from '#lib/cli/input/items/several.js'
import {argsOf, flagsOf} from '#lib/cli/input/operation-flags.js'
import {OperationCommand, type OperationOptions, severalOf} from './operation-base.js'
import {type Example, examplesOf, helpText, splitSentence, usageOf} from './operation-help.js'

/** Of every command that asks before it does what cannot be undone. */
export const yes = Flags.boolean({summary: 'Do not ask before doing it.', char: 'y'})

/**
 * The command of an operation: arguments, flags and help come from the description. Every call
 * makes a class of its own, because oclif writes the command's name onto it.
 */
export function operationCommand(
  named: OperationId | Operation,
  examples: readonly Example[],
  options: OperationOptions = {},
) {
  const described = typeof named === 'string' ? operation(named) : named
  const args = withSeveral({...argsOf(described), ...options.args}, severalOf(described, options))
  return class extends OperationCommand {
    static override args = args
    static override flags: Interfaces.FlagInput = {
      ...flagsOf(described, Object.keys(options.defaults?.(() => '').body ?? {})),
      ...(lossOf(described) ? {yes} : {}),
      ...options.flags,
      ...manyFlags,
    }
    static override effect: Effect = effectOf(described)
    static override summary = splitSentence(described.description)[0]
    static override usage = usageOf(described, args)
    static override description = helpText(described, options.more)
    static override examples = examplesOf(examples)
    static override state = described.deprecated ? 'deprecated' : undefined

    protected override operation() {
      return described
    }

    protected override options() {
      return options
    }
  }
}
