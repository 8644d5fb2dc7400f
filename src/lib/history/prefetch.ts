import {fieldsText, parseFields} from '#lib/api/fields.js'
import {BATCH_LIMIT, type BatchCall, type CallInput, type Client} from '#lib/client/client.js'
import {isTemporary} from '#lib/client/retry/policy.js'
import {changeIn} from './request.js'
import {textOf} from './reversal.js'
import {reversalOf} from './reverse.js'
import {includesFields, type SeenRecords} from './seen.js'

/** Reads the previous state of items, so that changes can be undone. */

interface PrefetchOptions {
  readonly seen: SeenRecords
  /** Whether to read it in requests of its own (`history.full`). */
  readonly isFull: boolean
}

/** Sends calls as one batch, with the missing reads in the same request if there is room. */
export async function batchWithReads(
  client: Client,
  calls: readonly BatchCall[],
  {seen, isFull}: PrefetchOptions,
): ReturnType<Client['batch']> {
  const reads = missingReads(calls, seen, isFull)
  if (isFull) {
    await readFirst(client, reads)
    return client.batch(calls)
  }
  const room = BATCH_LIMIT - calls.length
  if (room <= 0 || reads.length === 0) return client.batch(calls)
  const some = reads.slice(0, room)
  const outcomes = await client.batch([...some, ...calls])
  return outcomes?.slice(some.length)
}

/** Reads the previous state for a change that is sent alone, if needed. A failure leaves it unknown. */
export async function readBefore(
  client: Client,
  call: BatchCall,
  {seen, isFull}: PrefetchOptions,
): Promise<void> {
  if (!isFull && !reversalOf(call.id)?.isBeforeNeeded) return
  await readFirst(client, missingReads([call], seen, true))
}

async function readFirst(client: Client, reads: readonly BatchCall[]): Promise<void> {
  const [first, second] = reads
  if (!first) return
  const readAlone = async ({id, input}: BatchCall) => {
    await client.call(id, input).catch(() => undefined)
  }
  if (!second) return readAlone(first)
  const outcomes = await client.batch(reads).catch(() => [])
  for (const [index, read] of reads.entries()) {
    const outcome = outcomes?.[index]
    const mayPass = outcome && 'error' in outcome && isTemporary(outcome.error)
    if (outcomes === undefined || mayPass) await readAlone(read)
  }
}

/** The fields of a file that a change replaces and undo needs; `undefined` if it is not a change of a file's fields. */
export function fieldsBefore(call: BatchCall, isFull: boolean): string | undefined {
  const reversal = reversalOf(call.id)
  if (reversal?.isBeforeOptional && !isFull) return undefined
  const read = reversal?.before?.(changeIn(call))
  if (read?.id === 'properties.list') return 'properties'
  return read?.id === 'files.get' ? textOf(read.input.params.fields) : undefined
}

/**
 * The input of a list of files that also selects other `fields` of them. A list without a selection of fields is
 * unchanged.
 */
export function withListedFields(input: CallInput, fields: Iterable<string>): CallInput {
  const selected = textOf(input.params.fields)
  const {items} = selected === '' ? {} : parseFields(selected)
  if (!items) return input
  // The ID is known, and undo does not use the tag.
  const {id: _, etag: __, ...wanted} = parseFields([...fields].join(','))
  const missing = Object.entries(wanted).filter(
    ([name, below]) => !includesFields(items, {[name]: below}),
  )
  if (missing.length === 0) return input
  const added = `${selected},items(${fieldsText(Object.fromEntries(missing))})`
  return {...input, params: {...input.params, fields: added}}
}

/** The calls that read the previous state that is unknown, each once. */
function missingReads(
  calls: readonly BatchCall[],
  seen: SeenRecords,
  isFull: boolean,
): BatchCall[] {
  const reads = new Map<string, BatchCall>()
  for (const call of calls) {
    const reversal = reversalOf(call.id)
    if (call.input.history?.before || (reversal?.isBeforeOptional && !isFull)) continue
    const read = reversal?.before?.(changeIn(call))
    if (read && !seen.find(read)) reads.set(JSON.stringify(read), read)
  }
  return [...reads.values()]
}
