import type {OperationId} from '../../api/operations.js'
import type {PlannedInput} from '../../client/client.js'
import type {Context} from '../command/context.js'
import {curlLine, type LocalEnds} from './curl.js'

/** The line of a request, and its end; says where the service is gone before anybody can run it. */
export async function curlText(
  context: Context,
  [id, input, local]: readonly [id: OperationId, input: PlannedInput, local?: LocalEnds],
): Promise<string> {
  const client = await context.client()
  if ((await context.settings()).embedded) {
    context.note(
      'Note: the service inside drv ends with this command: start `drv local serve` and set DRV_BASE_URL to its address.',
    )
  }
  return `${curlLine(client.prepare(id, {...input, isWhole: true}), local)}\n`
}
