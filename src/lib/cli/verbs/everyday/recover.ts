import type {BatchCall, Client, Outcome} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {isIdRefused} from '#lib/transfer/ids.js'
import {ALL_DRIVES, parentIds} from '#lib/transfer/remote/records.js'
import type {Step} from '#lib/cli/run/plan.js'
import {recordOf} from './sources.js'

/**
 * The everyday verbs live here: what a few words of a shell mean in the service, as plans. How a plan
 * is carried out belongs to `../../run`, and how paths are resolved to `../../input`.
 */

/** The same steps, each with a second way after a refusal. */
export function withRecovery(client: Client, steps: readonly Step[]): Step[] {
  const recovering = new Map<Step, Step>()
  for (const step of steps) {
    const after = step.after && recovering.get(step.after)
    if (!('call' in step)) recovering.set(step, {...step, after})
    else {
      const {call, recover} = step
      const another = (error: unknown) => afterRefusal(client, call, error)
      recovering.set(step, {
        ...step,
        after,
        recover: recover ? eitherOf(recover, another) : another,
      })
    }
  }
  return [...recovering.values()]
}

type Recover = NonNullable<Step['recover']>

/** The second way where the first one leaves the error as it is. */
function eitherOf(first: Recover, second: Recover): Recover {
  return async error => {
    const outcome = await first(error)
    return 'error' in outcome && outcome.error === error ? second(error) : outcome
  }
}

/**
 * What came of a step that was refused, tried another way: without an ID where the service takes none
 * for what is to be made; and a move whose answer was lost is done where the file is in its place.
 */
async function afterRefusal(
  client: Client,
  {id, input}: BatchCall,
  refusal: unknown,
): Promise<Outcome> {
  try {
    if (isIdRefused(refusal)) {
      const {id: _, ...body} = input.body ?? {}
      return {record: await client.call(id, {...input, body})}
    }
    if (!isMoveRefused(refusal)) return {error: refusal}
    const {fileId, addParents, fields} = input.params
    const params = {fileId: fileId!, ...ALL_DRIVES}
    const {title, ...found} = await recordOf(client, String(fileId))
    const wanted = input.body?.title ?? title
    if (title !== wanted || !parentIds(found).includes(addParents)) return {error: refusal}
    return {
      record: await client.call('files.get', {
        params: {...params, ...(fields !== undefined && {fields})},
      }),
    }
  } catch (error) {
    return {error}
  }
}

/** Whether the file is not in the folder that it is to leave, or is in the one it is to get to. */
function isMoveRefused(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status !== 400) return false
  return ['addParents', 'removeParents'].includes(String(error.details.location))
}
