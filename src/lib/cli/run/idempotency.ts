import type {OperationId} from '#lib/api/operations.js'
import {textOf} from '#lib/api/validate.js'
import type {BatchCall, CallInput, Client, Outcome} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {type IdKind, idKindOf, isIdRefused, reservedIds} from '#lib/transfer/ids.js'
import {groupBy} from '#lib/platform/groups.js'
import type {Planned} from '#lib/transfer/many/types.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {withDriveNames} from '#lib/cli/input/fill-names.js'
import type {Lookups} from '#lib/cli/input/lookups.js'
import type {Checkpoint} from './checkpoint.js'
import type {Doer} from './item-runner.js'
import type {ReadyItem} from './prepare.js'

/**
 * What tells an earlier run's work from one's own, so that nothing is done twice; and what a refusal
 * may mean.
 */

interface Sending {
  readonly name?: string
  readonly planned: Planned
}

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
export async function withIds<S extends Sending>(
  client: Client,
  sending: readonly S[],
  checkpoint: Checkpoint | undefined,
): Promise<S[]> {
  const marks = new Map<S, Mark>()
  for (const one of sending) {
    const old = one.name === undefined ? undefined : checkpoint?.reserved(one.name)
    const id = old ?? ownMark(client, one)
    if (id !== undefined) marks.set(one, {id, isOld: old !== undefined})
  }
  const fresh = sending.filter(one => !marks.has(one) && kindOf(one) !== undefined)
  for (const some of groupBy(fresh, one => JSON.stringify(kindOf(one))).values()) {
    const reserved = await reservedIds(client, some.length, kindOf(some[0]!)!)
    for (const [index, one] of some.entries()) {
      const id = reserved?.[index]
      if (id !== undefined) marks.set(one, {id, isOld: false})
    }
  }
  const noted = [...marks].flatMap(([{name}, {id, isOld}]) =>
    name === undefined || isOld ? [] : [[name, id] as const],
  )
  if (noted.length > 0) await checkpoint?.reserve(noted)
  return sending.map(one => {
    const mark = marks.get(one)
    return mark ? {...one, planned: marked(one.planned, mark)} : one
  })
}

function marked(planned: Planned, {id, isOld}: Mark): Planned {
  if ('error' in planned && isOld && isGone(planned.error)) return {work: async () => undefined}
  if (!('call' in planned)) return planned
  return {call: withId(planned.call, id), isDoubtful: isOld}
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
function ownMark(client: Client, {planned}: Sending): string | undefined {
  if (!('call' in planned)) return undefined
  const {id, input} = planned.call
  if (id === 'drives.insert') return textOf(input.params.requestId)
  return id === 'files.trash' || client.operation(id).httpMethod === 'DELETE' ? '' : undefined
}

/** What kind of ID a thing gets; `undefined` where none is reserved for it. */
function kindOf({planned}: Sending): IdKind | undefined {
  if (!('call' in planned) || !MAKING.has(planned.call.id)) return undefined
  const {input} = planned.call
  return input.body?.id === undefined ? idKindOf(input) : undefined
}

/**
 * What came of a thing once it was tried another way: without a reserved ID that its kind cannot have,
 * and with a word that the service knew no drive by taken for a drive's name.
 */
export async function afterRefusal(
  {send}: Pick<Doer, 'send'>,
  lookups: Lookups,
  item: ReadyItem,
  outcome: Outcome,
): Promise<Outcome> {
  if (!('error' in outcome) || 'error' in item) return outcome
  const {error} = outcome
  const {parsed, words} = item.checked
  const again = async (input: CallInput): Promise<Outcome> => {
    try {
      return {record: await send(input, parsed)}
    } catch (error) {
      return {error}
    }
  }
  if (item.input.body?.id === undefined && isIdRefused(error)) return again(item.input)
  if (!(error instanceof ServiceError) || error.status !== 404) return outcome
  const renamed = await withDriveNames(item.input, words, lookups)
  return renamed ? again(renamed) : outcome
}
