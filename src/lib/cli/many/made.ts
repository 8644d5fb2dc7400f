import type {CallInput, Client, Outcome} from '../../client/client.js'
import {ServiceError} from '../../client/errors.js'
import {type IdKind, idKindOf, isIdRefused, reservedIds} from '../../transfer/ids.js'
import {groupBy} from '../../transfer/tree/groups.js'
import type {Planned} from '../../transfer/many/types.js'
import {withDriveNames} from '../naming/fill.js'
import type {Lookups} from '../naming/lookups.js'
import type {Checkpoint} from './checkpoint.js'
import type {Doer} from './doer.js'
import type {ReadyItem} from './prepare.js'

/** What makes new things gets their IDs first, so that nothing is made twice; and what a refusal may mean. */

interface Sending {
  readonly name?: string
  readonly planned: Planned
}

/**
 * The same with an ID reserved for each file that is to be made without content: one request for a
 * thousand, or the ID of an earlier run, which may have made it.
 */
export async function withIds<S extends Sending>(
  client: Client,
  sending: readonly S[],
  checkpoint: Checkpoint | undefined,
): Promise<S[]> {
  const ids = new Map<S, {readonly id: string; readonly isOld: boolean}>()
  const wanting = sending.filter(one => kindOf(one) !== undefined)
  for (const one of wanting) {
    const old = one.name === undefined ? undefined : checkpoint?.reserved(one.name)
    if (old !== undefined) ids.set(one, {id: old, isOld: true})
  }
  const fresh = wanting.filter(one => !ids.has(one))
  for (const some of groupBy(fresh, one => JSON.stringify(kindOf(one))).values()) {
    const reserved = await reservedIds(client, some.length, kindOf(some[0]!)!)
    for (const [index, one] of some.entries()) {
      const id = reserved?.[index]
      if (id !== undefined) ids.set(one, {id, isOld: false})
    }
  }
  const noted = [...ids].flatMap(([{name}, {id, isOld}]) =>
    name === undefined || isOld ? [] : [[name, id] as const],
  )
  if (noted.length > 0) await checkpoint?.reserve(noted)
  return sending.map(one => {
    const known = ids.get(one)
    if (!known || !('call' in one.planned)) return one
    const {id, input} = one.planned.call
    const call = {id, input: {...input, body: {...input.body, id: known.id}}}
    if (!known.isOld) return {...one, planned: {call}}
    // Whether it is there already is looked at for each by itself.
    const mayBeDone: CallInput = {...call.input, mayBeDone: true}
    return {...one, planned: {work: () => client.call(id, mayBeDone)}}
  })
}

/** What kind of ID a thing gets; `undefined` where none is reserved for it. */
function kindOf({planned}: Sending): IdKind | undefined {
  if (!('call' in planned) || planned.call.id !== 'files.insert') return undefined
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
  {item, planned}: {readonly item: ReadyItem; readonly planned: Planned},
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
  const isReserved = 'call' in planned && planned.call.input !== item.input
  if (isReserved && isIdRefused(error)) return again({...item.input})
  if (!(error instanceof ServiceError) || error.status !== 404) return outcome
  const renamed = await withDriveNames(item.input, words, lookups)
  return renamed ? again(renamed) : outcome
}
