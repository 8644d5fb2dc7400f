import type {OperationId} from '#lib/api/operations.js'
import {textOf} from '#lib/api/validate.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {BatchCall, Client} from '#lib/client/client.js'
import {groupBy} from '#lib/platform/values.js'
import {type IdKind, idKindOf, reservedIds} from '#lib/transfer/ids.js'
import type {Checkpoint} from './checkpoint.js'
import type {Step} from './plan.js'

/**
 * What tells an earlier run's work from one's own, so that nothing is done twice; and what a refusal
 * may mean.
 */

/** What is noted of a thing before it is sent: the ID it gets, '' where it needs none. */
interface Mark {
  readonly id: string
  /** An earlier run noted it, and may have sent the thing. */
  readonly isOld: boolean
}

/**
 * The same with an ID reserved for each file that is to be made without content: one request for a
 * thousand, or the ID of an earlier run, which may have made it. What an earlier run was about to take
 * away, and is not there, is done.
 */
export async function withIds(
  client: Client,
  steps: readonly Step[],
  checkpoint: Checkpoint | undefined,
): Promise<Step[]> {
  const marks = new Map<Step, Mark>()
  for (const one of steps) {
    const old = one.key === undefined ? undefined : checkpoint?.reserved(one.key)
    const id = old ?? ownMark(client, one)
    if (id !== undefined) marks.set(one, {id, isOld: old !== undefined})
  }
  const fresh = steps.filter(one => !marks.has(one) && kindOf(one) !== undefined)
  for (const some of groupBy(fresh, one => JSON.stringify(kindOf(one))).values()) {
    const reserved = await reservedIds(client, some.length, kindOf(some[0]!)!)
    for (const [index, one] of some.entries()) {
      const id = reserved?.[index]
      if (id !== undefined) marks.set(one, {id, isOld: false})
    }
  }
  const noted = [...marks].flatMap(([{key}, {id, isOld}]) =>
    key === undefined || isOld ? [] : [[key, id] as const],
  )
  if (noted.length > 0) await checkpoint?.reserve(noted)
  return steps.map(step => {
    const mark = marks.get(step)
    return mark ? marked(step, mark) : step
  })
}

function marked(step: Step, {id, isOld}: Mark): Step {
  if ('error' in step && isOld && isGone(step.error)) {
    const {error: _, ...facts} = step
    return {...facts, isUnchanged: true}
  }
  return 'call' in step ? {...step, call: withId(step.call, id), isDoubtful: isOld} : step
}

/** Whether a name led to nothing. */
function isGone(error: unknown): boolean {
  return error instanceof CommandError && error.exit === 'notFound'
}

function withId(call: BatchCall, id: string): BatchCall {
  const {input} = call
  if (MAKING.has(call.id)) return {...call, input: {...input, body: {...input.body, id}}}
  if (call.id !== 'drives.insert') return call
  return {...call, input: {...input, params: {...input.params, requestId: id}}}
}

/** Operations that make a file, and take an ID for it. */
const MAKING: ReadonlySet<OperationId> = new Set<OperationId>(['files.insert', 'files.copy'])

/**
 * What is noted of a thing that gets no file's ID: drives have one of the request, and what is taken
 * away is found no more.
 */
function ownMark(client: Client, step: Step): string | undefined {
  if (!('call' in step)) return undefined
  const {id, input} = step.call
  if (id === 'drives.insert') return textOf(input.params.requestId)
  return id === 'files.trash' || client.operation(id).httpMethod === 'DELETE' ? '' : undefined
}

/** What kind of ID a thing gets; `undefined` where none is reserved for it. */
function kindOf(step: Step): IdKind | undefined {
  if (!('call' in step) || !MAKING.has(step.call.id)) return undefined
  const {input} = step.call
  return input.body?.id === undefined ? idKindOf(input) : undefined
}
