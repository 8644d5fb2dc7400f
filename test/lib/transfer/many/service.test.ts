import {afterEach, describe, expect, test} from 'vitest'
import type {BatchCall, Client} from '#lib/client/client.js'
import {createClient} from '#lib/client/index.js'
import {createTransport} from '#lib/client/transport/transport.js'
import {findToken, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {reserveIds} from '#lib/transfer/ids.js'
import type {Planned} from '#lib/transfer/many/queue.js'
import {type Place, startPlace} from '../world.js'
import {call, collect, indexes, isFine, run, trash, upTo} from './fake.js'

let place: Place
afterEach(() => place.close())

const retrying = () => ({
  now: () => place.service.clock.now,
  sleep: async (milliseconds: number) => {
    place.service.clock.now += milliseconds
  },
  random: () => 0.5,
})

const insert = (id: string, index: number): Planned => ({
  call: {
    id: 'files.insert',
    input: {params: {fields: 'id,title'}, body: {id, title: `n${index}`}},
  },
})

/** All titles in a list. */
async function titles(client: Client, q: string): Promise<unknown[]> {
  const found: unknown[] = []
  const params = {q, maxResults: '1000', fields: 'nextPageToken,items(title)'}
  for await (const page of client.pages('files.list', {params})) {
    found.push(...(page.items as Array<{title: string}>).map(({title}) => title))
  }
  return found
}

test('a thousand calls are eleven requests, two hundred are three', async () => {
  place = await startPlace()
  const id = String((await place.service.json('POST', 'files', {body: {title: 'a'}})).body.id)
  for (const [count, requests] of [
    [1000, 11],
    [200, 3],
  ] as const) {
    place.requests.length = 0
    const {client} = place.process()
    const planned = upTo(count).map(() => call('files.get', {fileId: id, fields: 'title'}))
    const {got} = await collect(run(planned, client))
    expect(got).toEqual(upTo(count).map(index => ({index, record: {title: 'a'}})))
    expect(place.requests).toHaveLength(requests)
  }
})

describe('a token that is no longer valid', () => {
  const kinds = {
    calls: (): Planned => ({call: trash('a')}),
    work: (client: Client): Planned => ({
      work: () => client.call('files.get', {params: {fileId: 'a'}}),
    }),
  }
  test.each(['calls', 'work'] as const)(
    'ends %s after one request, without a lockout',
    async kind => {
      place = await startPlace()
      const {service} = place
      const {store, clock, url: baseUrl} = service
      const token = service.token()
      revokeToken(store, findToken(store, token, clock.now)!.id, clock.now)
      let requests = 0
      const transport = createTransport()
      const client = createClient({
        baseUrl,
        token: async () => token,
        retrying: retrying(),
        send: request => {
          requests += 1
          return transport(request)
        },
      })
      const planned = upTo(500).map(() => kinds[kind](client))
      const {got, thrown} = await collect(run(planned, client, {retrying: retrying()}))
      expect(thrown).toMatchObject({status: 401})
      expect(indexes(got)).toEqual([0])
      expect(requests).toBe(1)
      expect((await service.json('GET', 'about')).status).toBe(200)
    },
  )
})

/** Faults of batches, and of the single calls after them. */
const FAULTS = [
  {operations: 'batch', fault: 'lose', probability: 0.1},
  {operations: 'batch', fault: 'truncate', after: 9000, probability: 0.25},
  {operations: 'batch', fault: 'reset', at: 'response', after: 3000, probability: 0.1},
  {operations: 'batch', fault: 'status', status: 503, retryAfter: 2, probability: 0.05},
  {operations: 'batch', fault: 'status', status: 429, probability: 0.05},
  {operations: 'files.insert', fault: 'lose', probability: 0.1},
  {operations: ['files.insert', 'files.get'], fault: 'status', status: 500, probability: 0.1},
]

test.each([1, 2, 3])(
  'with seeded faults (%i) each file is created, trashed and deleted once, in order',
  async seed => {
    place = await startPlace(FAULTS, {seed})
    const {signal} = new AbortController()
    // With so many faults, some items fail repeatedly.
    const attempts = 30
    const {client} = place.process({signal, attempts})
    const ids = await reserveIds(client, 250)
    const many = (planned: readonly Planned[]) =>
      collect(run(planned, client, {retrying: {...retrying(), attempts}, signal}))

    const inserted = await many(ids.map(insert))
    expect(inserted.thrown).toBeUndefined()
    expect(inserted.got).toEqual(
      ids.map((id, index) => ({index, record: {id, title: `n${index}`}})),
    )
    const all = upTo(250).map(index => `n${index}`)
    expect((await titles(client, 'trashed = false')).toSorted()).toEqual(all.toSorted())

    const trashed = await many(ids.map(id => ({call: trash(id)})))
    expect(indexes(trashed.got.filter(isFine))).toEqual(upTo(250))
    const remove = (fileId: string): BatchCall => ({id: 'files.delete', input: {params: {fileId}}})
    const deleted = await many(ids.map(id => ({call: remove(id)})))
    expect(deleted.got).toEqual(upTo(250).map(index => ({index, record: undefined})))
    expect(await titles(client, 'trashed = true')).toEqual([])
  },
)
