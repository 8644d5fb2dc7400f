import {isMutating} from '#lib/api/operations.js'
import {type ChangeGate, lazyGate} from '#lib/client/change-gate.js'
import type {BatchCall, CallInput, Client} from '#lib/client/client.js'
import type {RecordOptions} from './record.js'
import {createSeenRecords, withSeenRecords} from './seen.js'

/** Connects a client with the history. Recording is loaded only before the first change. */

export interface HistoryOptions extends Pick<RecordOptions, 'onLoss'> {
  /** Builds the first line of the run and opens the file. */
  readonly open: () => Promise<Pick<RecordOptions, 'start' | 'file'>>
  /** Whether to read the previous state before every change (`history.full`). */
  readonly isFull: boolean
}

export interface ClientHistory {
  readonly gate: ChangeGate
  /** Wraps the client below the gates, to see what it reads. */
  observe(client: Client): Client
  /** Wraps the client above the gates, to read the previous state of items. */
  complete(client: Client): Client
}

export function createClientHistory({open, onLoss, isFull}: HistoryOptions): ClientHistory {
  const seen = createSeenRecords()
  const paths = new Map<string, string>()
  let observed: Client
  let recorder: Promise<ChangeGate> | undefined

  async function openRecorder(): Promise<ChangeGate> {
    const {createRecorder, withoutHistory} = await import('./record.js')
    const {operation} = observed
    try {
      return createRecorder({...(await open()), seen, paths, operation, onLoss})
    } catch (error) {
      onLoss(error)
      return withoutHistory
    }
  }

  const isChange = (client: Client) => (call: Pick<BatchCall, 'id'>) =>
    isMutating(client.operation(call.id))

  return {
    gate: lazyGate(() => (recorder ??= openRecorder())),
    observe(client) {
      observed = client
      return withSeenRecords(client, seen)
    },
    complete(client) {
      const changes = isChange(client)
      /** The fields that announced changes replace. */
      const replaced = new Set<string>()
      /** Reads the previous state for a change that is sent alone. */
      async function prepare(call: BatchCall): Promise<void> {
        if (!changes(call)) return
        const {readBefore} = await import('./prefetch.js')
        await readBefore(client, call, {seen, isFull})
      }
      /** The input of a read, with the fields that undo needs. */
      async function completeRead({id, input}: BatchCall): Promise<CallInput> {
        if (id !== 'files.list' || replaced.size === 0) return input
        const {withListedFields} = await import('./prefetch.js')
        return withListedFields(input, replaced)
      }
      return {
        ...client,
        resolved: (id, path) => void paths.set(id, path),
        async announce(call) {
          if (!changes(call)) return
          const {fieldsBefore} = await import('./prefetch.js')
          const fields = fieldsBefore(call, isFull)
          if (fields !== undefined) replaced.add(fields)
        },
        async *pages(id, input) {
          yield* client.pages(id, await completeRead({id, input}))
        },
        async call(id, input) {
          await prepare({id, input})
          return client.call(id, await completeRead({id, input}))
        },
        async batch(calls) {
          if (!calls.some(changes)) {
            const reads = calls.map(async call => ({...call, input: await completeRead(call)}))
            return client.batch(await Promise.all(reads))
          }
          const {batchWithReads} = await import('./prefetch.js')
          return batchWithReads(client, calls, {seen, isFull})
        },
        uploads: {
          ...client.uploads,
          async start(id, input) {
            await prepare({id, input})
            return client.uploads.start(id, input)
          },
        },
      }
    },
  }
}
