import {expect, test} from 'vitest'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import {createInspector} from '#lib/cli/guard/targets.js'
import type {Client} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'

/** A client that counts its requests; the folder `f` has `wide` items, including a folder like it, and so on. */
function counting({wide = 0, refused}: {wide?: number; refused?: number}) {
  const requests: string[] = []
  const client = {
    async call(_: string, {params}: {params: Record<string, string>}) {
      requests.push('call')
      if (refused !== undefined) throw new ServiceError(refused, '', 'No.')
      return {id: params.fileId, title: `title of ${params.fileId}`}
    },
    async batch(calls: Array<{input: {params: Record<string, string>}}>) {
      requests.push('batch')
      return calls.map(({input}) => ({record: {id: input.params.fileId}}))
    },
    async *pages() {
      for (;;) {
        requests.push('page')
        const items = Array.from({length: wide}, (_, at) => ({
          id: `i${at}`,
          title: `${at}`,
          fileSize: '2',
        }))
        yield {items: [...items, {id: 'f', title: 'f', mimeType: FOLDER_TYPE}]}
        return
      }
    },
  }
  return {requests, look: createInspector(client as unknown as Client)}
}

const ids = (count: number) => Array.from({length: count}, (_, at) => ({fileId: `id${at}`}))

test('the first of many is requested alone, before the first batch', async () => {
  const {requests, look} = counting({})
  expect(await look.records('files.get', ids(201))).toHaveLength(201)
  expect(requests).toEqual(['call', 'batch', 'batch'])
})

test('any number takes at most 12 requests', async () => {
  const {requests, look} = counting({})
  const records = await look.records('files.get', ids(5000))
  expect(requests).toHaveLength(12)
  expect(records).toHaveLength(5000)
  expect(records.filter(Boolean)).toHaveLength(1101)
  expect(await look.inside(['f'])).toMatchObject({count: 0, isMore: true})
  expect(requests).toHaveLength(12)
})

test('no batch follows a rejected token', async () => {
  const {requests, look} = counting({refused: 401})
  await expect(look.records('files.get', ids(50))).rejects.toMatchObject({status: 401})
  expect(requests).toEqual(['call'])
})

test('a missing item is reported alone, and omitted from many', async () => {
  await expect(counting({refused: 404}).look.records('files.get', ids(1))).rejects.toThrow('No.')
  const records = await counting({refused: 404}).look.records('files.get', ids(2))
  expect(records).toEqual([undefined, undefined])
})

test('an endless tree is read with 12 requests', async () => {
  const {requests, look} = counting({wide: 3})
  expect(await look.inside(['f'])).toMatchObject({count: 48, bytes: 72, isMore: true})
  expect(requests).toHaveLength(12)
})

test('counting stops at 1,000 items', async () => {
  const {requests, look} = counting({wide: 600})
  expect(await look.inside(['f'])).toMatchObject({count: 1202, isMore: true})
  expect(requests).toHaveLength(2)
})
