import {isMutating} from '#lib/api/operations.js'
import type {
  BatchCall,
  CallInput,
  Client,
  IncomingContent,
  Outcome,
  SessionState,
} from './client.js'
import {eachPage} from './pages.js'

/**
 * The one place that every change passes on its way to the service, whichever part of drv sends it.
 * Requests that only read do not pass it.
 */

/** Sends calls and returns their outcomes in order; `undefined` if the service does not support batches. */
export type SendCalls = (calls: readonly BatchCall[]) => Promise<readonly Outcome[] | undefined>

/** A request to an upload session. */
export interface TransferFacts {
  /** The call that the session belongs to, if the request resumes it. */
  readonly call?: BatchCall
  /** The offset after the last byte that it sends. */
  readonly end?: number
}

/** Sees changes before they are sent, and their outcomes. To refuse a change, a function throws before it sends. */
export interface ChangeGate {
  /** Sends the calls of one request with `send`, and returns its outcomes. The inputs may be replaced. */
  calls(calls: readonly BatchCall[], send: SendCalls): Promise<readonly Outcome[] | undefined>
  /** Starts an upload session and returns its path. */
  session(call: BatchCall, start: (input: CallInput) => Promise<string>): Promise<string>
  /** Sends content to an upload session or requests its state; another process may have started it. */
  transfer(
    session: string,
    send: () => Promise<SessionState>,
    about?: TransferFacts,
  ): Promise<SessionState>
  /** Cancels an upload session. */
  cancel(session: string, send: () => Promise<void>): Promise<void>
}

/** The same client; its changes pass the gate. */
export function withGate(client: Client, gate: ChangeGate): Client {
  const {uploads} = client
  const isChange = ({id}: Pick<BatchCall, 'id'>) => isMutating(client.operation(id))

  /** Sends one change and returns the outcome of the gate, and the result for content. */
  async function sendOne<T>(call: BatchCall, send: (input: CallInput) => Promise<T>) {
    let result: T
    const outcomes = await gate.calls([call], async ([gated]) => {
      try {
        result = await send(gated!.input)
        return [{record: recordIn(result)}]
      } catch (error) {
        return [{error}]
      }
    })
    const [outcome] = outcomes!
    if ('error' in outcome!) throw outcome.error
    return {record: outcome!.record, result: result!}
  }

  const call: Client['call'] = async (id, input) =>
    isChange({id})
      ? (await sendOne({id, input}, input => client.call(id, input))).record
      : client.call(id, input)

  return {
    ...client,
    call,
    download: async (id, input, range) =>
      isChange({id})
        ? (await sendOne({id, input}, input => client.download(id, input, range))).result
        : client.download(id, input, range),
    pages: (id, input) =>
      isChange({id})
        ? eachPage(params => call(id, {...input, params}), input.params)
        : client.pages(id, input),
    async batch(calls) {
      const changes = calls.filter(isChange)
      if (changes.length === 0) return client.batch(calls)
      let others: readonly Outcome[] = []
      const sent = await gate.calls(changes, async gated => {
        const next = gated[Symbol.iterator]()
        const all = await client.batch(
          calls.map(call => (isChange(call) ? next.next().value! : call)),
        )
        others = all?.filter((_, index) => !isChange(calls[index]!)) ?? []
        return all?.filter((_, index) => isChange(calls[index]!))
      })
      if (!sent) return undefined
      const [ofChanges, ofOthers] = [sent[Symbol.iterator](), others[Symbol.iterator]()]
      return calls.map(call => (isChange(call) ? ofChanges : ofOthers).next().value!)
    },
    uploads: {
      start: (id, input) => gate.session({id, input}, input => uploads.start(id, input)),
      status: (session, total, call) =>
        gate.transfer(session, () => uploads.status(session, total), {call}),
      send: (session, chunk) =>
        gate.transfer(session, () => uploads.send(session, chunk), {
          end: chunk.start + chunk.size,
        }),
      cancel: session => gate.cancel(session, () => uploads.cancel(session)),
    },
  }
}

/** The record of a response; `undefined` for content. */
function recordIn(result: unknown): Exclude<Outcome, {error: unknown}>['record'] {
  const isContent = (result as Partial<IncomingContent> | undefined)?.stream !== undefined
  return isContent ? undefined : (result as ReturnType<typeof recordIn>)
}

/** A gate that is built before the first change. */
export function lazyGate(build: () => Promise<ChangeGate>): ChangeGate {
  return {
    calls: async (...change) => (await build()).calls(...change),
    session: async (...change) => (await build()).session(...change),
    transfer: async (...change) => (await build()).transfer(...change),
    cancel: async (...change) => (await build()).cancel(...change),
  }
}

/** A gate that refuses every change with the error that `refusal` returns. */
export function closedGate(refusal: (what: string) => Error): ChangeGate {
  // All requests to a session belong to an upload, which is a change.
  const refuse = async () => {
    throw refusal('An upload')
  }
  return {
    async calls([call]) {
      throw refusal(call!.id)
    },
    session: refuse,
    transfer: refuse,
    cancel: refuse,
  }
}
