import {mkdtempSync, readdirSync, rmSync} from 'node:fs'
import type {IncomingMessage, ServerResponse} from 'node:http'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {gzipSync} from 'node:zlib'
import {expect, onTestFinished, test} from 'vitest'
import {createClient} from '#lib/client/index.js'
import {downloadFile} from '#lib/transfer/download.js'
import {serve} from '../../support/serve.js'
import {bytes, md5} from './world.js'

/** Downloads answered by something other than the service: a captive portal, a broken proxy. */

const SIZE = 2 * 1024 * 1024
const content = bytes(SIZE)
const HTML = {'content-type': 'text/html; charset=utf-8'}

/** Downloads from a service with these responses; returns the result and the number of requests. */
async function outcome(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  let requests = 0
  const {url: baseUrl} = await serve((request, response) => {
    requests++
    response.on('error', () => undefined)
    answer(request, response)
  })
  const folder = mkdtempSync(join(tmpdir(), 'drv-'))
  onTestFinished(() => rmSync(folder, {recursive: true}))
  let waited = 0
  const client = createClient({
    baseUrl,
    token: async () => 'token',
    retrying: {
      now: () => waited,
      sleep: async milliseconds => void (waited += milliseconds),
      random: () => 1,
    },
  })
  const {signal} = new AbortController()
  const error = await downloadFile(
    {client, signal, onLoss: () => undefined},
    {
      operation: 'files.get',
      params: {fileId: 'f'},
      path: join(folder, 'target'),
      overwrite: false,
      md5: md5(content),
      size: SIZE,
    },
  ).then(
    () => undefined,
    (failure: Error) => failure,
  )
  return {error, requests, waited, left: readdirSync(folder)}
}

const page = (size: number) => '<html>'.padEnd(size, 'x')

test.each<[string, (request: IncomingMessage, response: ServerResponse) => void, number]>([
  ['a page that is shorter', (_, response) => response.writeHead(200, HTML).end(page(5000)), 5],
  ['a page that is longer', (_, response) => response.writeHead(200, HTML).end(page(SIZE + 1)), 1],
  [
    'a page without an end',
    (_, response) => {
      response.writeHead(200, HTML)
      const more = () => {
        while (!response.destroyed && response.write(page(100_000)));
      }
      response.on('drain', more)
      more()
    },
    1,
  ],
  [
    'a part that always begins at the start, and breaks off',
    (_, response) => {
      response.writeHead(206, {
        'content-range': `bytes 0-${SIZE - 1}/${SIZE}`,
        'content-length': SIZE,
        etag: '"e"',
      })
      response.write(content.subarray(0, 100_000), () => response.destroy())
    },
    6,
  ],
  [
    'a length that is too short',
    (_, response) => response.writeHead(200, {'content-length': 100}).end(content.subarray(0, 100)),
    6,
  ],
  [
    'a length that is never reached',
    (_, response) => {
      response.writeHead(200, {'content-length': SIZE})
      response.write(content.subarray(0, 100), () => response.destroy())
    },
    6,
  ],
  [
    'packed content',
    (_, response) => response.writeHead(200, {'content-encoding': 'gzip'}).end(gzipSync(content)),
    1,
  ],
])('%s ends a download soon, and leaves nothing', async (_, answer, most) => {
  const {error, requests, waited, left} = await outcome(answer)
  expect(error).toRead()
  expect(requests).toBeLessThanOrEqual(most)
  expect(waited).toBeLessThan(20_000)
  expect(left).toEqual([])
})

test('content in responses that keep breaking off arrives complete', async () => {
  const {error, requests} = await outcome((request, response) => {
    const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    response.writeHead(start > 0 ? 206 : 200, {
      'content-range': `bytes ${start}-${SIZE - 1}/${SIZE}`,
      'content-length': SIZE - start,
      etag: '"e"',
    })
    response.write(content.subarray(start, start + 100_000), () => response.destroy())
  })
  expect(error).toBeUndefined()
  expect(requests).toBeGreaterThan(10)
})
