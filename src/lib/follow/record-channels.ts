import type {OperationId} from '#lib/api/operations.js'
import type {BatchCall, CallInput, Client, Outcome, Page} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import type {ChannelEntry, ChannelRecord} from './channels.js'

/** The profile and service of a client, and the record of its channels. */
interface Recording extends Pick<ChannelEntry, 'profile' | 'service'> {
  /** Opens the record on first use. */
  readonly record: () => Promise<ChannelRecord>
  /** Called if the record cannot be written. */
  readonly onLoss: (error: unknown) => void
}

/** The operations that open or close a channel. */
const CHANNEL_OPERATIONS: ReadonlySet<OperationId> = new Set<OperationId>([
  'changes.watch',
  'files.watch',
  'channels.stop',
])

/** The same client; it records the channels that it opens, and forgets those that it stops. */
export function withChannelRecord(client: Client, recording: Recording): Client {
  const isOfChannel = ({id}: Pick<BatchCall, 'id'>) => CHANNEL_OPERATIONS.has(id)

  /** Records the result of a call, and returns the outcome with the fields that the call selects. */
  async function note(call: BatchCall, outcome: Outcome): Promise<Outcome> {
    await recordOutcome(recording, call, outcome).catch(recording.onLoss)
    return 'record' in outcome ? {record: selectedFields(call, outcome.record)} : outcome
  }

  return {
    ...client,
    async call(id, input) {
      if (!isOfChannel({id})) return client.call(id, input)
      const call = {id, input}
      const outcome = await client.call(id, withRecordedFields(call).input).then(
        record => note(call, {record}),
        (error: unknown) => note(call, {error}),
      )
      if ('error' in outcome) throw outcome.error
      return outcome.record
    },
    async batch(calls) {
      if (!calls.some(isOfChannel)) return client.batch(calls)
      const sent = calls.map(call => (isOfChannel(call) ? withRecordedFields(call) : call))
      const outcomes = await client.batch(sent)
      if (!outcomes) return undefined
      const noted: Outcome[] = []
      for (const [index, call] of calls.entries()) {
        const outcome = outcomes[index]!
        noted.push(isOfChannel(call) ? await note(call, outcome) : outcome)
      }
      return noted
    },
  }
}

/** The fields of a response that are required to stop a channel. */
const RECORDED = ['id', 'resourceId', 'expiration']

/** The fields that a call selects; `undefined` for all. */
function selectionOf({input}: BatchCall): readonly string[] | undefined {
  const {fields} = input.params
  const names = typeof fields === 'string' ? fields.split(',').map(name => name.trim()) : ['*']
  return names.includes('*') ? undefined : names
}

/** The same call; it also selects the fields to record. */
function withRecordedFields(call: BatchCall): BatchCall {
  const selected = selectionOf(call)
  if (!selected || call.id === 'channels.stop') return call
  const fields = [...new Set([...selected, ...RECORDED])].join(',')
  return {...call, input: {...call.input, params: {...call.input.params, fields}}}
}

/** The response without the fields that only the record needs. */
function selectedFields(call: BatchCall, response: Page | undefined): Page | undefined {
  const selected = selectionOf(call)
  if (!selected || !response) return response
  const isSelected = ([name]: [string, unknown]) =>
    !RECORDED.includes(name) || selected.includes(name)
  return Object.fromEntries(Object.entries(response).filter(isSelected))
}

async function recordOutcome(
  {record, profile, service}: Recording,
  {id, input}: BatchCall,
  outcome: Outcome,
): Promise<void> {
  if (id === 'channels.stop') {
    if ('error' in outcome && !isUnknownChannel(outcome.error)) return
    const {id: channel, resourceId} = input.body ?? {}
    if (typeof channel !== 'string' || typeof resourceId !== 'string') return
    await (await record()).remove({id: channel, resourceId, service})
    return
  }
  const opened = 'record' in outcome ? openedChannel(outcome.record) : undefined
  if (!opened) return
  await (await record()).add({...opened, watches: watchedBy(input), profile, service})
}

/** Whether the service does not have the channel: it was stopped before, or has expired. */
export function isUnknownChannel(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 404
}

/** The IDs and the expiration of a channel in a response; `undefined` without IDs. */
export function openedChannel(
  response: Page | undefined,
): Pick<ChannelEntry, 'id' | 'resourceId' | 'expires'> | undefined {
  const {id, resourceId, expiration} = response ?? {}
  if (typeof id !== 'string' || typeof resourceId !== 'string') return undefined
  const expires = Number(expiration)
  return {id, resourceId, ...(expiration !== undefined && Number.isFinite(expires) && {expires})}
}

/** The watched resource of a request: a file or a shared drive by its ID, or `changes`. */
export function watchedBy({params: {fileId, driveId}}: Pick<CallInput, 'params'>): string {
  return [fileId, driveId].find(id => typeof id === 'string') ?? 'changes'
}
