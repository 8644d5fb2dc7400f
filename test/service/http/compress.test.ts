import {request} from 'node:http'
import {buffer} from 'node:stream/consumers'
import {gunzipSync} from 'node:zlib'
import {afterAll, beforeAll, expect, test} from 'vitest'
import {acceptsGzip} from '#lib/service/server/server.js'
import {startTestService, type TestService} from '../harness.js'

let service: TestService
let id: string
beforeAll(async () => {
  service = await startTestService()
  const description = 'long '.repeat(1000)
  id = (await service.json('POST', 'files', {body: {title: 'a', description}})).body.id
})
afterAll(() => service.close())

/** A GET whose response is not decompressed. */
async function get(path: string, accept?: string, method = 'GET') {
  const headers = {
    authorization: `Bearer ${service.token()}`,
    ...(accept !== undefined && {'accept-encoding': accept}),
  }
  const answer = await new Promise<import('node:http').IncomingMessage>((settle, fail) => {
    request(service.url + path, {method, headers}, settle)
      .on('error', fail)
      .end()
  })
  return {headers: answer.headers, body: await buffer(answer)}
}

test('JSON is compressed for clients that accept it', async () => {
  const plain = await get(`/drive/v2/files/${id}`)
  const packed = await get(`/drive/v2/files/${id}`, 'gzip, deflate, br')
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(packed.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-length': String(packed.body.length),
    vary: 'Accept-Encoding',
    etag: plain.headers.etag,
  })
  expect(plain.headers.vary).toBe('Accept-Encoding')
  expect(packed.body.length).toBeLessThan(plain.body.length / 2)
  expect(JSON.parse(String(gunzipSync(packed.body)))).toEqual(JSON.parse(String(plain.body)))
})

test('small responses are not compressed', async () => {
  const {headers} = await get(`/drive/v2/files/${id}?fields=id`, 'gzip')
  expect(headers['content-encoding']).toBeUndefined()
})

test('HEAD returns the same headers without the body', async () => {
  const {headers, body} = await get(`/drive/v2/files/${id}`, 'gzip', 'HEAD')
  expect(headers['content-encoding']).toBe('gzip')
  expect(body).toHaveLength(0)
})

test('content is not compressed', async () => {
  const body = 'x'.repeat(5000)
  const made = await service.json('POST', '/upload/drive/v2/files', {
    query: {uploadType: 'media'},
    headers: {'content-type': 'application/json'},
    body,
  })
  const got = await get(`/drive/v2/files/${made.body.id}?alt=media`, 'gzip')
  expect(got.headers['content-encoding']).toBeUndefined()
  expect(String(got.body)).toBe(body)
})

test.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['*', true],
  ['x-gzip', true],
  ['gzip;q=0, *', false],
  ['gzip; q=0.0', false],
  ['br', false],
  ['identity', false],
  ['', false],
  [undefined, false],
])('%j accepts gzip: %s', (header, takes) => {
  expect(acceptsGzip(header)).toBe(takes)
})
