import {isMutating, type Operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {readOnlyError} from '#lib/config/settings.js'

/** Throws `ReadOnlyError` in read-only mode, before any request. */
export async function refuseChanges(
  {settings, options}: Pick<Context, 'settings' | 'options'>,
  what: string,
): Promise<void> {
  if (options.dryRun) return
  const error = readOnlyError(await settings(), what)
  if (error) throw error
}

/** Throws `ReadOnlyError` in read-only mode if an operation changes something. */
export async function refuseOperation(
  context: Pick<Context, 'settings' | 'options'>,
  operation: Operation,
  line: string,
): Promise<void> {
  if (isMutating(operation)) await refuseChanges(context, `\`drv ${line}\``)
}
