import {changesSomething} from '../../api/effects.js'
import type {Operation} from '../../api/operations.js'
import {readOnlyError} from '../../config/readonly.js'
import type {Context} from '../command/context.js'

/** Throws `ReadOnlyError` before anything is sent where the settings let nothing be changed. */
export async function refuseChanges(
  {settings, options}: Pick<Context, 'settings' | 'options'>,
  what: string,
): Promise<void> {
  if (options.dryRun) return
  const error = readOnlyError(await settings(), what)
  if (error) throw error
}

/** The same for an operation, where it changes something. */
export async function refuseOperation(
  context: Pick<Context, 'settings' | 'options'>,
  operation: Operation,
  line: string,
): Promise<void> {
  if (changesSomething(operation)) await refuseChanges(context, `\`drv ${line}\``)
}
