import nock from 'nock'
import {expect, test} from 'vitest'
import type {BatchCall} from '#lib/client/client.js'
import {createClient} from '#lib/client/index.js'
import {guardNetwork} from '../../nock.js'

const BASE = 'https://files.example.com'
guardNetwork()

function client() {
  const slept: number[] = []
  const retrying = {
    now: () => 0,
    sleep: async (milliseconds: number) => void slept.push(milliseconds),
    random: () => 0.5,
  }
  return {client: createClient({baseUrl: BASE, token: async () => undefined, retrying}), slept}
}

const answer = (...parts: readonly string[]) =>
  [
    200,
    [
      ...parts.map(
        (part, index) => `--x\r\ncontent-id: <response-x+${index}>\r\n\r\nHTTP/1.1 ${part}`,
      ),
      '--x--',
    ].join('\r\n'),
    {'content-type': 'multipart/mixed; boundary=x'},
  ] as const

const remove: BatchCall = {id: 'files.delete', input: {params: {fileId: 'a'}}}
const trash: BatchCall = {id: 'files.trash', input: {params: {fileId: 'b'}}}
const insert = (id?: string): BatchCall => ({
  id: 'files.insert',
  input: {params: {fields: 'title'}, body: {id, title: 'x'}},
})
const NONE = '404 Not Found\r\n\r\n{}'
const OK = '200 OK\r\n\r\n{"title":"x"}'

test.each([
  ['503', () => nock(BASE).post('/batch').reply(503)],
  [
    'broken',
    () =>
      nock(BASE)
        .post('/batch')
        .replyWithError(Object.assign(new Error('reset'), {code: 'ECONNRESET'})),
  ],
  ['cut short', () => nock(BASE).post('/batch').reply(200, '', answer()[2])],
])(
  'a batch with an unknown outcome (%s) is resent if all its calls can be repeated',
  async (_, fail) => {
    fail()
    nock(BASE)
      .post('/batch')
      .reply(...answer(NONE, OK, '409 Conflict\r\n\r\n{}', NONE))
    // The insert may have been done: the service has the ID, and its file matches.
    nock(BASE).post('/drive/v2/files?fields=title').reply(409, {})
    nock(BASE)
      .get('/drive/v2/files/own')
      .query(true)
      .reply(200, {id: 'own', title: 'x', mimeType: 'text/plain'})
    const {client: one, slept} = client()
    expect(await one.batch([remove, trash, insert('own'), {...trash}])).toEqual([
      {record: undefined},
      {record: {title: 'x'}},
      {record: {title: 'x'}},
      {error: expect.objectContaining({status: 404})},
    ])
    expect(slept).toHaveLength(1)
  },
)

test('a batch with a call that creates an item is not', async () => {
  nock(BASE).post('/batch').reply(503)
  const {client: one, slept} = client()
  await expect(one.batch([trash, insert()])).rejects.toMatchObject({status: 503})
  expect(slept).toEqual([])
})

test('a batch refused because of a rate limit is resent with any calls', async () => {
  nock(BASE).post('/batch').reply(429, {}, {'retry-after': '7'})
  nock(BASE)
    .post('/batch')
    .reply(...answer(NONE, OK))
  const {client: one, slept} = client()
  expect(await one.batch([remove, insert()])).toEqual([
    {error: expect.objectContaining({status: 404})},
    {record: {title: 'x'}},
  ])
  expect(slept).toEqual([7350])
})
