import {expect, test} from 'vitest'
import {isMutating, operations, pathParameters} from '#lib/api/operations.js'
import {closedGate} from '#lib/client/change-gate.js'
import {createClient} from '#lib/client/index.js'

class Refused extends Error {}

/** A read-only client, and the requests it sent. */
function readOnly() {
  const sent: string[] = []
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    token: async () => 'token',
    gates: [closedGate(what => new Refused(what))],
    async send({url}) {
      sent.push(url)
      throw new Error('It was sent.')
    },
  })
  return {client, sent}
}

test.each(operations.map(operation => [operation.operationId, operation] as const))(
  '%s is refused before it is sent, or sent',
  async (id, operation) => {
    const params = Object.fromEntries(pathParameters(operation).map(name => [name, 'ID']))
    const changes = isMutating(operation)
    const {client, sent} = readOnly()
    const pages = async () => {
      for await (const _ of client.pages(id, {params})) return
    }
    const ways = [
      () => client.call(id, {params}),
      () =>
        client.batch([
          {id: 'files.get', input: {params: {fileId: 'A'}}},
          {id, input: {params}},
        ]),
      pages,
    ]
    for (const way of ways) {
      const error: unknown = await way().catch((thrown: unknown) => thrown)
      if (changes) expect(error).toEqual(new Refused(id))
      else expect(error).not.toBeInstanceOf(Refused)
    }
    expect(sent).toHaveLength(changes ? 0 : ways.length)
  },
)

test('no request of an upload is sent', async () => {
  const {client, sent} = readOnly()
  const {start, status, send, cancel} = client.uploads
  const input = {params: {}}
  const chunk = {start: 0, size: 1, bytes: Buffer.from('x')}
  const ways = [
    () => start('files.insert', input),
    () => status('/session'),
    () => send('/session', chunk),
    () => cancel('/session'),
  ]
  for (const way of ways) await expect(way()).rejects.toBeInstanceOf(Refused)
  expect(sent).toEqual([])
})
