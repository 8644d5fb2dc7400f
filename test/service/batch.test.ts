import {afterAll, beforeAll, expect, test} from 'vitest'
import {startTestService, type TestService} from './harness.js'

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

/** The answers of a batch: name, status and JSON. */
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

test('calls of all kinds, each with its own answer', async () => {
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

test('headers of the batch count unless a call has its own', async () => {
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
])('%s is refused for itself', async (_, call) => {
  const answers = await answersOf([{call}, {call: 'GET /drive/v2/about HTTP/1.1\n\n'}])
  expect(answers).toMatchObject([{status: 400}, {status: 200}])
})

test('a hundred calls, but no more', async () => {
  const calls = (count: number) =>
    Array.from({length: count}, () => ({call: 'GET /drive/v2/about?fields=name HTTP/1.1\n\n'}))
  expect(await answersOf(calls(100))).toHaveLength(100)
  expect((await send(bodyOf(calls(101)))).response.status).toBe(400)
})

test('a body that is no batch is refused', async () => {
  expect((await send('--b--\r\n')).response.status).toBe(400)
  expect((await send('nothing')).response.status).toBe(400)
  expect((await service.send('POST', '/batch', {body: {}})).status).toBe(400)
  expect((await service.send('GET', '/batch')).status).toBe(405)
})
