import {Readable} from 'node:stream'
import {describe, expect, test} from 'vitest'
import type {CallInput} from '#lib/client/client.js'
import {createClient} from '#lib/client/index.js'
import type {HttpRequest} from '#lib/client/transport/transport.js'
import {needsSession, SESSION_THRESHOLD} from '#lib/client/upload/outgoing.js'

describe('content is uploaded in a session', () => {
  test.each([
    ['of nothing', 0, false],
    ['one byte below the threshold', SESSION_THRESHOLD - 1, false],
    ['exactly at the threshold', SESSION_THRESHOLD, false],
    ['one byte above the threshold', SESSION_THRESHOLD + 1, true],
    ['of a size that nobody knows', undefined, true],
  ])('%s', (_, size, expected) => {
    expect(needsSession(size)).toBe(expected)
  })

  test('from 8 MiB on', () => {
    expect(SESSION_THRESHOLD).toBe(8_388_608)
  })
})

test.each([
  [SESSION_THRESHOLD, undefined, 'media'],
  [SESSION_THRESHOLD, {}, 'media'],
  [SESSION_THRESHOLD, {title: 'it'}, 'multipart'],
  [SESSION_THRESHOLD + 1, undefined, 'resumable'],
  [SESSION_THRESHOLD + 1, {title: 'it'}, 'resumable'],
])('a request for %i bytes with the metadata %j is shown as %s', (size, body, type) => {
  const client = createClient({baseUrl: 'https://files.example.com', token: async () => 'token'})
  const {url} = client.prepare('files.insert', {params: {}, body, upload: {size}})
  expect(new URL(url).searchParams.get('uploadType')).toBe(type)
})

test.each([
  ['no content', 'files.get', {params: {fileId: 'a'}}],
  ['metadata', 'files.insert', {params: {}, body: {title: 'it'}}],
  ['content alone', 'files.insert', {params: {}, upload: {size: 3, mimeType: 'text/plain'}}],
  ['both', 'files.insert', {params: {}, body: {title: 'it'}, upload: {size: 3}}],
  ['a session', 'files.insert', {params: {}, body: {title: 'it'}, upload: {size: 9e6}}],
] as const)('the shown request with %s equals the sent one', async (_, id, input) => {
  const sent: HttpRequest[] = []
  const client = createClient({
    baseUrl: 'https://files.example.com',
    token: async () => 'token',
    async send(request) {
      sent.push(request)
      const headers = {location: '/session', 'content-type': 'application/json'}
      return {status: 200, headers, body: Readable.from([Buffer.from('{}')])}
    },
  })
  const content = Buffer.from('abc')
  const whole = {...input, upload: 'upload' in input && {...input.upload, open: () => content}}
  const {url, headers, method} = client.prepare(id, input)
  if (url.includes('resumable')) await client.uploads.start(id, whole as CallInput)
  else await client.call(id, whole as CallInput)
  const own = ['authorization', 'user-agent']
  const shown = Object.entries(sent[0]!.headers).filter(([name]) => !own.includes(name))
  // The boundary, and so the total length, is known once the body is built.
  const parts = shown.map(([name, value]) => [name, value.replace(/; boundary=.*/, '')])
  const isSplit = headers['content-type'] === 'multipart/related'
  expect({...headers, ...(isSplit && {'content-length': expect.any(String) as string})}).toEqual(
    Object.fromEntries(parts),
  )
  expect({url, method}).toEqual({url: sent[0]!.url, method: sent[0]!.method})
})
