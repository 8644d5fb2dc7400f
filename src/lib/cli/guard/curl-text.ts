import type {OperationId} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import type {PlannedInput} from '#lib/client/client.js'
import {curlLine, type LocalEnds} from './curl.js'

/** A request as `--dry-run` and `--curl` show it, with where its content is on this machine. */
export type PlannedRequest = readonly [id: OperationId, input: PlannedInput, local?: LocalEnds]

/** The lines of some requests; says where the service is gone before anybody can run them. */
export async function curlText(
  context: Context,
  requests: readonly PlannedRequest[],
): Promise<string> {
  const client = await context.client()
  if ((await context.settings()).embedded) {
    context.note(
      'Note: the service inside drv ends with this command: start `drv local serve` and set DRV_BASE_URL to its address.',
    )
  }
  const lines = requests.map(([id, input, local]) =>
    curlLine(client.prepare(id, {...input, isWhole: true}), local),
  )
  return lines.map(line => `${line}\n`).join('')
}
