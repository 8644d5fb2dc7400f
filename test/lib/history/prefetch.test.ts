import {expect, test} from 'vitest'
import type {BatchCall, Client, Outcome} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {batchWithReads} from '#lib/history/prefetch.js'
import {createSeenRecords} from '#lib/history/seen.js'

const refusal = (status: number) => new ServiceError(status, '', 'Refused.')

test('a retryable read of a batch is repeated alone, before the changes', async () => {
  const log: string[] = []
  const nameOf = ({id, input}: BatchCall) => `${id} ${String(input.params.fileId)}`
  const failures: Record<string, Outcome> = {
    'files.get b': {error: refusal(503)},
    'files.get c': {error: refusal(404)},
  }
  const client = {
    async call(id, input) {
      log.push(nameOf({id, input}))
      return {}
    },
    async batch(calls: readonly BatchCall[]) {
      log.push(calls.map(nameOf).join(', '))
      return calls.map(call => failures[nameOf(call)] ?? {record: {}})
    },
  } as Partial<Client> as Client
  const changes = ['a', 'b', 'c'].map((fileId): BatchCall => ({
    id: 'files.patch',
    input: {params: {fileId}, body: {labels: {starred: true}}},
  }))
  await batchWithReads(client, changes, {seen: createSeenRecords(), isFull: true})
  expect(log).toEqual([
    'files.get a, files.get b, files.get c',
    'files.get b',
    'files.patch a, files.patch b, files.patch c',
  ])
})
