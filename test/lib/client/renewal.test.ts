import {Readable} from 'node:stream'
import {afterEach, beforeEach, expect, test} from 'vitest'
import type {BatchCall} from '#lib/client/client.js'
import {createClient} from '#lib/client/index.js'
import {createTransport, type Send} from '#lib/client/transport/transport.js'
import {findToken} from '#lib/service/oauth/store/tokens.js'
import {updateRows} from '#lib/service/store/database/rows.js'
import {startTestService, type TestService} from '../../service/harness.js'

/** The service refuses a token during the work, and a new one is available. */

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

/** Expires a token, or restores it. */
function end(token: string, isOver = true): void {
  const {store, clock} = service
  updateRows(
    store,
    'tokens',
    {id: findToken(store, token, clock.now)!.id},
    {expires_at: isOver ? clock.now - 1 : null},
  )
}

/** A client with a sequence of tokens; `before` is called before each request. Renewals fail with `failure`. */
function world(
  tokens: readonly string[],
  before: (count: number) => unknown = () => undefined,
  failure?: Error,
) {
  let at = 0
  const requests: string[] = []
  const refused: string[] = []
  const answers: number[] = []
  const transport = createTransport()
  const send: Send = async request => {
    const {pathname} = new URL(request.url)
    const count = requests.length
    requests.push(`${request.method} ${pathname} ${tokens.indexOf(tokenIn(request))}`)
    await before(count)
    const response = await transport(request)
    answers.push(response.status)
    return response
  }
  const client = createClient({
    baseUrl: service.url,
    token: async () => tokens[at],
    async renew(token) {
      if (failure) throw failure
      if (token === tokens[at] && at + 1 < tokens.length) at++
      return tokens[at] !== token
    },
    guard: {check: async () => undefined, refused: async token => void refused.push(token)},
    send,
    retrying: {now: Date.now, sleep: async () => undefined, random: () => 0},
  })
  return {client, requests, answers, refused}
}

const tokenIn = ({headers}: {headers: Readonly<Record<string, string>>}) =>
  (headers.authorization ?? '').replace('Bearer ', '')

const insert = (title: string): BatchCall => ({
  id: 'files.insert',
  input: {params: {fields: 'title'}, body: {title}},
})

test('a request is repeated with the new token, and the first rejection is not reported', async () => {
  const tokens = [service.token(), service.token()]
  end(tokens[0]!)
  const {client, requests, refused} = world(tokens)
  expect(await client.call('about.get', {params: {}})).toHaveProperty('user')
  expect(requests).toEqual(['GET /drive/v2/about 0', 'GET /drive/v2/about 1'])
  expect(refused).toEqual([])
})

test('a rejected token whose renewal failed is reported, and is not sent again', async () => {
  const token = service.token()
  end(token)
  const {client, requests, refused} = world([token], undefined, new Error('The sign-in has ended.'))
  for (let again = 0; again < 2; again++) {
    await expect(client.call('about.get', {params: {}})).rejects.toThrow('The sign-in has ended.')
  }
  expect(requests).toHaveLength(1)
  expect(refused).toEqual([token])
})

test('a second rejection ends the command, and is reported', async () => {
  const tokens = [service.token(), service.token(), service.token()]
  for (const token of tokens) end(token)
  const {client, requests, refused} = world(tokens)
  for (let again = 0; again < 2; again++) {
    await expect(client.call('about.get', {params: {}})).rejects.toMatchObject({status: 401})
  }
  expect(requests).toHaveLength(2)
  expect(refused).toEqual([tokens[1]])
})

test('the rejection of one token does not affect the next', async () => {
  const tokens = [service.token(), service.token(), service.token()]
  for (const token of tokens.slice(0, 2)) end(token)
  let release = () => {}
  const held = new Promise<void>(resolve => (release = resolve))
  // Both requests use the first token, then the second; one waits until the other has been rejected.
  const {client, requests, answers, refused} = world(tokens, count => count === 3 && held)
  const about = () => client.call('about.get', {params: {}})
  const both = [about(), about()]
  await expect.poll(() => answers).toEqual([401, 401, 401])
  end(tokens[1]!, false)
  release()
  // The second token worked for one request, so the other may get a third.
  for (const answer of await Promise.all(both)) expect(answer).toHaveProperty('user')
  expect(refused).toEqual([])
  expect(requests.map(line => line.at(-1)).join('')).toBe('00112')
})

test('a list of many pages continues where it was', async () => {
  for (let index = 0; index < 5; index++) {
    await service.json('POST', 'files', {body: {title: `f${index}`}})
  }
  const tokens = [service.token(), service.token()]
  const {client, requests} = world(tokens, count => count === 2 && end(tokens[0]!))
  const titles: unknown[] = []
  for await (const page of client.pages('files.list', {params: {maxResults: '1'}})) {
    for (const {title} of page.items as Array<{title: string}>) titles.push(title)
  }
  expect(titles.sort()).toEqual(['f0', 'f1', 'f2', 'f3', 'f4'])
  expect(requests.map(line => line.at(-1)).join('')).toMatch(/^0001+$/)
})

test('batches continue with the rejected calls, and repeat nothing', async () => {
  const tokens = [service.token(), service.token()]
  const {client} = world(tokens, count => count === 1 && end(tokens[0]!))
  const outcomes = await client.batch(Array.from({length: 4}, (_, index) => insert(`f${index}`)))
  expect(outcomes?.every(outcome => 'record' in outcome)).toBe(true)
  const {body} = await service.json('GET', 'files', {query: {maxResults: '1000'}})
  expect(new Set((body.items as Array<{title: string}>).map(({title}) => title)).size).toBe(4)
  expect(body.items).toHaveLength(4)
})

test('a stream is opened again', async () => {
  const tokens = [service.token(), service.token()]
  end(tokens[0]!)
  const {client, requests, refused} = world(tokens)
  let opened = 0
  const upload = {
    size: 5,
    open() {
      opened++
      return Readable.from([Buffer.from('hello')])
    },
  }
  const record = await client.call('files.insert', {params: {}, body: {title: 'a.txt'}, upload})
  expect(record).toMatchObject({title: 'a.txt', fileSize: '5'})
  expect([opened, requests.length, refused]).toEqual([2, 2, []])
})

test('an upload session asks for its progress, and continues there', async () => {
  const tokens = [service.token(), service.token()]
  const {client, requests} = world(tokens, count => count === 2 && end(tokens[0]!))
  const input = {
    params: {},
    body: {title: 'big'},
    upload: {size: 600_000, open: () => Buffer.alloc(0)},
  }
  const session = await client.uploads.start('files.insert', input)
  const content = Buffer.alloc(600_000, 'x')
  let start = 0
  const done = await client.persist(async () => {
    for (;;) {
      const state = await client.uploads.status(session, content.length)
      if (state.isDone) return state.record
      start = state.received
      const bytes = content.subarray(start, start + 262_144)
      await client.uploads.send(session, {
        start,
        size: bytes.length,
        total: content.length,
        bytes: Readable.from([bytes]),
      })
    }
  })
  expect(done).toMatchObject({fileSize: '600000'})
  // One of three chunks was rejected, and sent again after a status request.
  expect(requests.filter(line => line.startsWith('PUT'))).toHaveLength(3 + 1 + 4 + 1)
})
