import type {Context} from '#lib/cli/context/context.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {Effect} from './destroys.js'

/** Throws `UsageError` for `--plan` with a command that changes nothing, or whose changes no plan can hold. */
export function refusePlan(
  {options, command}: Pick<Context, 'options' | 'command'>,
  {effect, isPlannable}: {readonly effect: Effect; readonly isPlannable?: boolean},
): void {
  if (options.plan === undefined || (effect !== 'reads' && isPlannable)) return
  const reason = effect === 'reads' ? 'it changes nothing' : 'its changes cannot be planned'
  throw new UsageError(
    `--plan cannot be used with \`drv ${command}\`: ${reason}.`,
    'Remove --plan.',
  )
}
