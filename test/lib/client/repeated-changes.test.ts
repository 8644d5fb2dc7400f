import nock from 'nock'
import {expect, test} from 'vitest'
import type {BatchCall} from '#lib/client/client.js'
import {createClient} from '#lib/client/index.js'
import {isDoubtfulFailure} from '#lib/client/retry/attempts.js'
import {stateAfter} from '#lib/history/request.js'
import {guardNetwork} from '../nock.js'

/** Changes that the service refuses because their first attempt, whose response was lost, was carried out. */

const BASE = 'https://files.example.com'
guardNetwork()

const retrying = {now: () => 0, sleep: async () => undefined, random: () => 0.5}
const client = () => createClient({baseUrl: BASE, token: async () => undefined, retrying})

const trash: BatchCall = {
  id: 'files.trash',
  input: {params: {fileId: 'a', fields: 'title'}, ifMatch: '"1"'},
}
const move: BatchCall = {
  id: 'files.patch',
  input: {
    params: {fileId: 'a', fields: 'title', addParents: 'P2', removeParents: 'P1'},
    body: {title: 'x'},
  },
}
const STALE = {error: {errors: [{reason: 'conditionNotMet'}]}}
const MOVED = {error: {errors: [{reason: 'invalid', location: 'removeParents'}]}}
const trashed = {id: 'a', title: 'x', labels: {trashed: true}}
const moved = {id: 'a', title: 'x', parents: [{id: 'P2'}]}

const lose = (method: 'post' | 'patch', path: string) =>
  nock(BASE)
    .intercept(path, method)
    .query(true)
    .replyWithError(Object.assign(new Error('reset'), {code: 'ECONNRESET'}))

const present = (record: object) =>
  nock(BASE).get('/drive/v2/files/a').query(true).reply(200, record)

test.each([
  ['a trashed file', trash, 'post', '/drive/v2/files/a/trash', [412, STALE], trashed],
  ['a moved file', move, 'patch', '/drive/v2/files/a', [400, MOVED], moved],
] as const)(
  '%s is as the request leaves it',
  async (_, {id, input}, method, path, refusal, record) => {
    lose(method, path)
    nock(BASE).intercept(path, method).query(true).reply(refusal[0], refusal[1])
    present(record)
    expect(await client().call(id, input)).toEqual({title: 'x'})
  },
)

test.each([
  ['in the trash no longer', trash, 'post', '/drive/v2/files/a/trash', [412, STALE]],
  ['in another folder', move, 'patch', '/drive/v2/files/a', [400, MOVED]],
] as const)(
  'a file that is %s is a refusal, of an unknown result',
  async (_, call, method, path, refusal) => {
    lose(method, path)
    nock(BASE).intercept(path, method).query(true).reply(refusal[0], refusal[1])
    present({id: 'a', title: 'x', labels: {trashed: false}, parents: [{id: 'P3'}]})
    const error = await client()
      .call(call.id, call.input)
      .catch((error: unknown) => error)
    expect(error).toMatchObject({status: refusal[0]})
    expect(isDoubtfulFailure(error)).toBe(true)
    expect(stateAfter(error)).toBe('unknown')
  },
)

test('a refusal of the first attempt is not looked into', async () => {
  nock(BASE).post('/drive/v2/files/a/trash').query(true).reply(412, STALE)
  const error = await client()
    .call(trash.id, trash.input)
    .catch((error: unknown) => error)
  expect(error).toMatchObject({status: 412})
  expect(stateAfter(error)).toBe('failed')
})

test('the same holds for calls in a batch', async () => {
  const answer = (...parts: readonly string[]) =>
    [
      ...parts.map((part, at) => `--x\r\ncontent-id: <response-x+${at}>\r\n\r\nHTTP/1.1 ${part}`),
      '--x--',
    ].join('\r\n')
  const refused = (status: string, body: object) => `${status}\r\n\r\n${JSON.stringify(body)}`
  lose('post', '/batch')
  nock(BASE)
    .post('/batch')
    .reply(
      200,
      answer(refused('412 Precondition Failed', STALE), refused('403 Forbidden', {error: {}})),
      {'content-type': 'multipart/mixed; boundary=x'},
    )
  nock(BASE).post('/drive/v2/files/a/trash').query(true).reply(412, STALE)
  present(trashed)
  const outcomes = await client().batch([trash, {...move, input: {...move.input}}])
  expect(outcomes).toEqual([
    {record: {title: 'x'}},
    {error: expect.objectContaining({status: 403})},
  ])
  expect(stateAfter((outcomes![1] as {error: unknown}).error)).toBe('unknown')
})
