import {once} from 'node:events'
import type {ServerResponse} from 'node:http'
import {PassThrough} from 'node:stream'
import {text} from 'node:stream/consumers'
import {describe, expect, onTestFinished, test} from 'vitest'
import {createClient} from '#lib/client/index.js'
import {createAgents} from '#lib/client/transport/agents.js'
import {createTransport, type HttpRequest} from '#lib/client/transport/transport.js'
import {createWaits} from '#lib/client/transport/waits.js'
import {passTime, stopTimers} from '../../../support/clock.js'
import {serve, serveSockets} from '../../../support/serve.js'

/** Log lines of requests, and what a command is waiting for. */

/** A server that lets the test respond to its only request. */
async function serveOne() {
  let reach = (_: ServerResponse) => {}
  const reached = new Promise<ServerResponse>(resolve => (reach = resolve))
  return {...(await serve((_, response) => reach(response))), reached}
}

const asked = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  headers: {authorization: 'Bearer secret-token'},
  timeout: 5000,
  decompress: true,
  ...more,
})

describe('a log line', () => {
  function logged(environment = {}) {
    const lines: string[] = []
    let time = 0
    const log = (line: string) => lines.push(line)
    const send = createTransport(createAgents(environment), {log, now: () => (time += 7)})
    return {lines, send}
  }

  test('shows each request and its result, without secrets', async () => {
    const {url} = await serve((_, response) => response.writeHead(404).end())
    const {lines, send} = logged()
    await text((await send(asked(`${url}/files?q=a%20b&maxResults=1`))).body)
    const session = `${url}/upload?uploadType=resumable&upload_id=very-secret&x=1`
    await text((await send(asked(session, {method: 'PUT', body: 'content'}))).body)
    expect(lines).toEqual([
      `GET ${url}/files?q=a%20b&maxResults=1 404 (7 ms)`,
      `PUT ${url}/upload?uploadType=resumable&upload_id=***&x=1 404 (7 ms)`,
    ])
  })

  test('shows a missing response, and the proxy that was used', async () => {
    stopTimers()
    const {host: proxy} = await serveSockets()
    const {lines, send} = logged({HTTPS_PROXY: `http://ada:secret@${proxy}`})
    const call = send(asked('https://files.example.test/drive/v2/about', {timeout: 500}))
    await expect(passTime(call)).rejects.toRead()
    expect(lines).toEqual([
      `GET https://files.example.test/drive/v2/about no response (7 ms, through the proxy http://${proxy})`,
    ])
  })
})

describe('the pending wait', () => {
  const waits = () => createWaits({now: Date.now, tell: () => undefined})

  test('is the proxy until there is a connection', async () => {
    stopTimers()
    const own = waits()
    const {host: proxy} = await serveSockets()
    const agents = createAgents({https_proxy: `http://ada:secret@${proxy}`})
    onTestFinished(agents.close)
    const call = createTransport(agents, {waits: own})(
      asked('https://files.example.test/', {timeout: 500}),
    )
    await expect.poll(own.longest).toBe(`the proxy http://${proxy} (set in https_proxy)`)
    await expect(passTime(call)).rejects.toRead()
    expect(own.longest()).toBeUndefined()
  })

  test('is the response, then its rest, then nothing', async () => {
    const own = waits()
    const {host, url, reached} = await serveOne()
    const call = createTransport(createAgents({}), {waits: own})(asked(url))
    await expect.poll(own.longest).toBe(host)
    const response = await reached
    response.write('begin')
    await expect.poll(own.longest).toBe(`the rest of the response from ${host}`)
    const {body} = await call
    response.end()
    await text(body)
    expect(own.longest()).toBeUndefined()
  })

  test('is nothing while our own content is slow', async () => {
    const own = waits()
    const {host, url, reached} = await serveOne()
    const body = new PassThrough()
    body.write('begin')
    const call = createTransport(createAgents({}), {waits: own})(asked(url, {method: 'POST', body}))
    const response = await reached
    const [received] = await once(response.req, 'data')
    expect(String(received)).toBe('begin')
    expect(own.longest()).toBeUndefined()
    body.end('end')
    response.req.resume()
    await expect.poll(own.longest).toBe(host)
    response.end('done')
    expect(await text((await call).body)).toBe('done')
  })

  test('is nothing while the reader of content is slow', async () => {
    const own = waits()
    const {host, url} = await serve((_, response) => response.write('begin'))
    const client = createClient({
      baseUrl: url,
      token: async () => 'token',
      send: createTransport(createAgents({}), {waits: own}),
    })
    const {stream} = await client.download('files.get', {params: {fileId: 'a'}})
    const chunks = stream[Symbol.asyncIterator]()
    await chunks.next()
    expect(own.longest()).toBeUndefined()
    const next = chunks.next()
    await expect.poll(own.longest).toBe(`the rest of the response from ${host}`)
    next.catch(() => undefined)
  })
})
