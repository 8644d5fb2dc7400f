import {EventEmitter, once} from 'node:events'
import {connect} from 'node:net'
import {Readable} from 'node:stream'
import {text} from 'node:stream/consumers'
import {setImmediate} from 'node:timers/promises'
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest'
import {batchResponse} from '#lib/service/server/batch.js'
import {startTestService, type TestService} from '../harness.js'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

interface Part {
  readonly id?: string
  readonly call: string
}

function bodyOf(parts: readonly Part[], eol = '\r\n'): string {
  const texts = parts.map(({id, call}) =>
    [
      '--b',
      'Content-Type: application/http',
      ...(id ? [`Content-ID: ${id}`] : []),
      '',
      call.replaceAll('\n', eol),
    ].join(eol),
  )
  return [...texts, '--b--', ''].join(eol)
}

async function send(body: string, path = '/batch', options: {token?: string | null} = {}) {
  const response = await service.send('POST', path, {
    ...options,
    headers: {'content-type': 'multipart/mixed; boundary=b'},
    body,
  })
  return {response, text: await response.text()}
}

/** The responses of a batch: name, status and JSON. */
async function answersOf(
  parts: readonly Part[],
  options: {token?: string | null; eol?: string} = {},
) {
  const {response, text} = await send(bodyOf(parts, options.eol), '/batch/drive/v2', options)
  expect(response.status).toBe(200)
  const boundary = /boundary=(\S+)/.exec(response.headers.get('content-type')!)![1]!
  expect(text.endsWith(`--${boundary}--\r\n`)).toBe(true)
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map(part => {
      const [outer, head, body] = part.split('\r\n\r\n')
      expect(outer).toContain('Content-Type: application/http')
      return {
        id: /^Content-ID: (.*)$/m.exec(outer!)?.[1],
        status: Number(/^HTTP\/1\.1 (\d+)/.exec(head!)![1]),
        body: body?.trim() ? JSON.parse(body) : undefined,
      }
    })
}

test('calls of all kinds, each with its own response', async () => {
  const {body: file} = await service.json('POST', 'files', {body: {title: 'a'}})
  const answers = await answersOf([
    {id: '<one>', call: `GET /drive/v2/files/${file.id}?fields=title HTTP/1.1\n\n`},
    {
      id: '<uuid + 2>',
      call: 'POST /drive/v2/files?fields=title HTTP/1.1\nContent-Type: application/json\n\n{"title": "b"}',
    },
    {id: 'bare', call: 'GET /drive/v2/files/nothing HTTP/1.1\n\n'},
    {call: `DELETE /drive/v2/files/${file.id} HTTP/1.1\n`},
  ])
  expect(answers).toMatchObject([
    {id: '<response-one>', status: 200, body: {title: 'a'}},
    {id: '<response-uuid + 2>', status: 200, body: {title: 'b'}},
    {id: 'response-bare', status: 404, body: {error: {code: 404}}},
    {id: undefined, status: 204, body: undefined},
  ])
})

test('lines may end in LF alone', async () => {
  const [answer] = await answersOf([{call: 'GET /drive/v2/about?fields=name\n\n'}], {eol: '\n'})
  expect(answer).toMatchObject({status: 200})
})

test('headers of the batch apply unless a call has its own', async () => {
  const answers = await answersOf(
    [
      {call: 'GET /drive/v2/about?fields=user/emailAddress HTTP/1.1\n\n'},
      {
        call: `GET /drive/v2/about?fields=user/emailAddress HTTP/1.1\nAuthorization: Bearer ${service.token('ann')}\n\n`,
      },
      {call: 'GET /drive/v2/about HTTP/1.1\nAuthorization: Bearer wrong\n\n'},
    ],
    {token: service.token('bob')},
  )
  expect(answers).toMatchObject([
    {status: 200, body: {user: {emailAddress: 'bob@example.com'}}},
    {status: 200, body: {user: {emailAddress: 'ann@example.com'}}},
    {status: 401},
  ])
})

test('without a token every call fails, and the batch succeeds', async () => {
  const answers = await answersOf([{call: 'GET /drive/v2/about HTTP/1.1\n\n'}], {token: null})
  expect(answers).toMatchObject([{status: 403}])
})

test.each([
  ['an upload', 'POST /upload/drive/v2/files?uploadType=media HTTP/1.1\n\nx'],
  ['a download', 'GET /drive/v2/files/x?alt=media HTTP/1.1\n\n'],
  ['an export', 'GET /drive/v2/files/x/export?mimeType=text/plain HTTP/1.1\n\n'],
  ['another service', 'GET /user HTTP/1.1\n\n'],
  ['a batch', 'POST /batch HTTP/1.1\n\n'],
  ['another host', 'GET http://evil.example/drive/v2/about HTTP/1.1\n\n'],
  ['another host, hidden', 'GET //evil.example/drive/v2/about HTTP/1.1\n\n'],
  ['no request line', 'hello\n\n'],
  ['an endless address', `GET /drive/v2/files/${'x'.repeat(8000)} HTTP/1.1\n\n`],
])('%s fails alone', async (_, call) => {
  const answers = await answersOf([{call}, {call: 'GET /drive/v2/about HTTP/1.1\n\n'}])
  expect(answers).toMatchObject([{status: 400}, {status: 200}])
})

test('a hundred calls are allowed, but no more', async () => {
  const calls = (count: number) =>
    Array.from({length: count}, () => ({call: 'GET /drive/v2/about?fields=name HTTP/1.1\n\n'}))
  expect(await answersOf(calls(100))).toHaveLength(100)
  expect((await send(bodyOf(calls(101)))).response.status).toBe(400)
})

test('a body that is not a batch is rejected', async () => {
  expect((await send('--b--\r\n')).response.status).toBe(400)
  expect((await send('nothing')).response.status).toBe(400)
  expect((await service.send('POST', '/batch', {body: {}})).status).toBe(400)
  expect((await service.send('GET', '/batch')).status).toBe(405)
})

describe('many responses', () => {
  const call = (id: string) => `GET /drive/v2/files/${id} HTTP/1.1\n\n`
  const JSON_ANSWER = {status: 200, headers: {'Content-Type': 'application/json'}}

  /** A batch of `count` calls, each handled by `serve`; counts the calls. */
  async function batch(count: number, serve: (id: string) => string) {
    const made: string[] = []
    const body = bodyOf(Array.from({length: count}, (_, index) => ({call: call(String(index))})))
    const response = await batchResponse(
      {
        method: 'POST',
        url: new URL('http://127.0.0.1/batch'),
        headers: {'content-type': 'multipart/mixed; boundary=b'},
        body: Readable.from([Buffer.from(body)]),
        remoteAddress: '127.0.0.1',
      },
      {
        random: size => Buffer.alloc(size, 7),
        serve: ({url}) => {
          const id = url.pathname.split('/').at(-1)!
          made.push(id)
          return Promise.resolve({...JSON_ANSWER, body: serve(id)})
        },
      },
    )
    return {made, response, body: response.body as Readable}
  }

  test('are created one after the other, as they are read', async () => {
    const {made, body} = await batch(100, () => 'x'.repeat(1_000_000))
    const answers = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    await answers.next()
    await answers.next()
    await setImmediate()
    expect(made.length).toBeLessThan(6)
    await answers.return!()
    expect(made.length).toBeLessThan(6)
  })

  test('let other requests run in between', async () => {
    const {made, body} = await batch(100, () => 'x')
    const turns: number[] = []
    const others = (async () => {
      while (made.length < 100) {
        turns.push(made.length)
        await setImmediate()
      }
    })()
    await Promise.all([text(body), others])
    expect(turns.length).toBeGreaterThan(50)
  })

  test('are separated by a random boundary', async () => {
    const {response, body} = await batch(2, () => '--batch_1')
    const boundary = `batch_${'07'.repeat(16)}`
    expect(response.headers!['Content-Type']).toBe(`multipart/mixed; boundary=${boundary}`)
    const all = await text(body)
    expect(all.split(`--${boundary}`)).toHaveLength(4)
    expect(all.endsWith(`\r\n--${boundary}--\r\n`)).toBe(true)
  })

  test('have a total limit, and calls beyond it fail without being executed', async () => {
    const {made, body} = await batch(100, () => 'x'.repeat(10 * 1024 * 1024))
    const all = await text(body)
    expect(made).toEqual(['0', '1'])
    const statuses = all.match(/^HTTP\/1\.1 .*$/gm)!
    expect(statuses).toHaveLength(100)
    expect(new Set(statuses.slice(2))).toEqual(new Set(['HTTP/1.1 429 Too Many Requests']))
    const refusal = all.slice(all.lastIndexOf('{\n "error"'), all.lastIndexOf('}') + 1)
    const {error} = JSON.parse(refusal)
    expect(error).toMatchObject({code: 429, errors: [{reason: 'rateLimitExceeded'}]})
    expect(error.message).toRead()
  })
})

test('a call with endless headers fails alone', async () => {
  const answers = await answersOf([
    {call: `GET /drive/v2/about HTTP/1.1\n${'a: b\n'.repeat(20_000)}\n`},
    {call: 'GET /drive/v2/about HTTP/1.1\n\n'},
  ])
  expect(answers).toMatchObject([{status: 400}, {status: 200}])
  expect(answers[0]!.body.error.message).toRead()
})

test('changes of a batch are sent to channels', async () => {
  const channel = new EventEmitter()
  // The service does not poll.
  vi.useFakeTimers({toFake: ['setInterval']})
  const own = await startTestService({
    fetch: (_, {headers} = {}) => {
      channel.emit('message', (headers as Record<string, string>)['X-Goog-Resource-State'])
      return Promise.resolve(new Response(null))
    },
  })
  vi.useRealTimers()
  const {body: file} = await own.json('POST', 'files', {body: {title: 'a'}})
  const address = 'http://127.0.0.1/channel'
  const first = once(channel, 'message')
  await own.json('POST', `files/${file.id}/watch`, {body: {id: 'c', type: 'web_hook', address}})
  expect(await first).toEqual(['sync'])
  const second = once(channel, 'message')
  await own.send('POST', '/batch', {
    headers: {'content-type': 'multipart/mixed; boundary=b'},
    body: bodyOf([{call: `DELETE /drive/v2/files/${file.id} HTTP/1.1\n\n`}]),
  })
  expect(await second).toEqual(['remove'])
  await own.close()
})

test('a client of HTTP/1.0 gets all responses, up to the end of the connection', async () => {
  const {hostname, port} = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const body = bodyOf([{call: 'GET /drive/v2/about HTTP/1.1\n\n'}, {call: 'GET /x HTTP/1.1\n\n'}])
  socket.write(
    `POST /batch HTTP/1.0\r\nHost: ${hostname}\r\nAuthorization: Bearer ${service.token()}\r\n` +
      `Content-Type: multipart/mixed; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual([
    'HTTP/1.1 200',
    'HTTP/1.1 200',
    'HTTP/1.1 400',
  ])
  expect(answer).toMatch(/--batch_[0-9a-f]{32}--\r\n$/)
})
