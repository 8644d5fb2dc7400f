import {changesSomething} from '#lib/api/effects.js'
import type {OperationId} from '#lib/api/operations.js'
import type {Client} from './client.js'

/**
 * The same client, but whatever would change something is refused before it is sent. `refusal` makes
 * the error from the name of what is refused.
 */
export function readOnlyClient(client: Client, refusal: (what: string) => Error): Client {
  const check = (id: OperationId) => {
    if (changesSomething(client.operation(id))) throw refusal(id)
  }
  // All of a session's requests belong to something that changes.
  const refuse = async () => {
    throw refusal('An upload')
  }
  return {
    ...client,
    async call(id, input) {
      check(id)
      return client.call(id, input)
    },
    async download(id, input, range) {
      check(id)
      return client.download(id, input, range)
    },
    async *pages(id, input) {
      check(id)
      yield* client.pages(id, input)
    },
    async batch(calls) {
      for (const {id} of calls) check(id)
      return client.batch(calls)
    },
    uploads: {start: refuse, status: refuse, send: refuse, cancel: refuse},
  }
}
