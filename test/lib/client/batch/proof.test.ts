import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import type {BatchCall} from '#lib/client/client.js'
import {createClient} from '#lib/client/index.js'
import {createTransport, type Send} from '#lib/client/transport/transport.js'
import {findToken, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {createPaths} from '#lib/transfer/remote/paths.js'
import {startTestService, type TestService} from '../../../service/harness.js'

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

/** An expired token of the user `local`. */
function staleToken(): string {
  const {store, clock} = service
  const token = service.token()
  revokeToken(store, findToken(store, token, clock.now)!.id, clock.now)
  return token
}

/** A client, and the requests that it has sent. */
function counted(token: () => string | undefined) {
  const requests: string[] = []
  const transport = createTransport()
  const send: Send = request => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`)
    return transport(request)
  }
  const client = createClient({baseUrl: service.url, token: async () => token(), send})
  return {client, requests}
}

const insert = (title: string): BatchCall => ({
  id: 'files.insert',
  input: {params: {fields: 'title'}, body: {title}},
})
const inserts = (count: number) => Array.from({length: count}, (_, index) => insert(`f${index}`))
const trash = (count: number) =>
  Array.from({length: count}, (_, index): BatchCall => ({
    id: 'files.trash',
    input: {params: {fileId: `nothing-${index}`}},
  }))

/** The response to the owner of the expired tokens with a valid token. */
const standing = async () => (await service.json('GET', 'about')).status

describe('a token that was never valid', () => {
  test('is sent once for a hundred calls, without a lockout', async () => {
    const token = staleToken()
    const {client, requests} = counted(() => token)
    await expect(client.batch(trash(100))).rejects.toMatchObject({status: 401})
    await expect(client.batch(trash(100))).rejects.toMatchObject({status: 401})
    expect(requests).toEqual(['POST /drive/v2/files/nothing-0/trash'])
    expect(await standing()).toBe(200)
  })

  test('is sent once for concurrent batches', async () => {
    const token = staleToken()
    const {client, requests} = counted(() => token)
    const batches = await Promise.allSettled(
      Array.from({length: 5}, () => client.batch(trash(100))),
    )
    expect(batches.map(({status}) => status)).toEqual(Array(5).fill('rejected'))
    expect(requests).toHaveLength(1)
    expect(await standing()).toBe(200)
  })

  test('causes no lockout when paths are resolved', async () => {
    const token = staleToken()
    const {client, requests} = counted(() => token)
    const records = Array.from({length: 40}, (_, index) => ({
      id: `f${index}`,
      title: 'a',
      parents: [{id: `p${index}`, isRoot: false}],
      driveId: `d${index}`,
    }))
    await createPaths(client).of(records)
    expect(requests.length).toBeLessThanOrEqual(2)
    expect(await standing()).toBe(200)
  })
})

test('the first call proves the token, and no call is repeated', async () => {
  const token = service.token()
  const {client, requests} = counted(() => token)
  const both = [client.batch(inserts(3)), client.batch(inserts(2))]
  const outcomes = await Promise.all(both)
  expect(outcomes.map(some => some?.map(outcome => 'record' in outcome && outcome.record))).toEqual(
    [
      [{title: 'f0'}, {title: 'f1'}, {title: 'f2'}],
      [{title: 'f0'}, {title: 'f1'}],
    ],
  )
  expect(requests).toEqual(['POST /drive/v2/files', 'POST /batch', 'POST /batch'])
  const {body} = await service.json('GET', 'files')
  expect(body.items).toHaveLength(5)
})

test('a refusal for another reason proves the token too, and is the outcome of its call', async () => {
  const token = service.token()
  const {client, requests} = counted(() => token)
  const outcomes = await client.batch([...trash(1), ...inserts(1)])
  expect(outcomes).toEqual([
    {error: expect.objectContaining({status: 404})},
    {record: {title: 'f0'}},
  ])
  expect(requests).toEqual(['POST /drive/v2/files/nothing-0/trash', 'POST /batch'])
})

test('without a token no proof is needed', async () => {
  const {client, requests} = counted(() => undefined)
  expect(await client.batch(trash(2))).toEqual([
    {error: expect.objectContaining({status: 403})},
    {error: expect.objectContaining({status: 403})},
  ])
  expect(requests).toEqual(['POST /batch'])
})

test('another token must be proven again', async () => {
  let token = service.token()
  const {client, requests} = counted(() => token)
  await client.batch(inserts(2))
  token = staleToken()
  await expect(client.batch(trash(100))).rejects.toMatchObject({status: 401})
  expect(requests).toEqual([
    'POST /drive/v2/files',
    'POST /batch',
    'POST /drive/v2/files/nothing-0/trash',
  ])
  expect(await standing()).toBe(200)
})

test('more than a hundred calls are split into batches, and one with a long URL is sent alone', async () => {
  const token = service.token()
  const {client, requests} = counted(() => token)
  await client.call('about.get', {params: {}})
  requests.length = 0
  const long: BatchCall = {
    id: 'files.list',
    input: {params: {q: `title = '${'x'.repeat(8000)}'`, fields: 'items(id)'}},
  }
  const outcomes = await client.batch([...inserts(120), long, insert('last')])
  expect(outcomes).toHaveLength(122)
  expect(outcomes!.slice(119)).toEqual([
    {record: {title: 'f119'}},
    {record: {items: []}},
    {record: {title: 'last'}},
  ])
  expect(requests).toEqual(['GET /drive/v2/files', 'POST /batch', 'POST /batch'])
})
