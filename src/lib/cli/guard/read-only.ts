import {isMutating, type Operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {limitsOf, planError} from '#lib/config/policy.js'
import {readOnlyError} from '#lib/config/settings.js'

type Refusing = Pick<Context, 'settings' | 'options' | 'appliesPlan'>

/** Throws `ReadOnlyError` in read-only mode, and `PolicyError` without a required plan, before any request. */
export async function refuseChanges(
  {settings, options, appliesPlan}: Refusing,
  what: string,
): Promise<void> {
  if (options.dryRun) return
  const known = await settings()
  const error = readOnlyError(known, what)
  if (error) throw error
  const {requirePlan} = limitsOf(known.policies ?? [])
  if (requirePlan && !appliesPlan) throw planError(requirePlan, what)
}

/** Throws `ReadOnlyError` in read-only mode if an operation changes something. */
export async function refuseOperation(
  context: Refusing,
  operation: Operation,
  line: string,
): Promise<void> {
  if (isMutating(operation)) await refuseChanges(context, `\`drv ${line}\``)
}
