import {randomBytes} from 'node:crypto'
import {getEventListeners, once} from 'node:events'
import type {RequestListener} from 'node:http'
import type {Socket} from 'node:net'
import {PassThrough, Readable} from 'node:stream'
import {buffer, text} from 'node:stream/consumers'
import {inspect} from 'node:util'
import {brotliCompressSync, gzipSync} from 'node:zlib'
import {beforeEach, describe, expect, test, vi} from 'vitest'
import {createAgents} from '#lib/client/transport/agents.js'
import {readBodyText} from '#lib/client/transport/incoming.js'
import {networkFailure} from '#lib/client/transport/network-failure.js'
import {createTransport, type HttpRequest} from '#lib/client/transport/transport.js'
import {passTime, stopTimers} from '../../../support/clock.js'
import {serve, serveSockets} from '../../../support/serve.js'

/** Checks over real sockets what got does by default, and must not do. */

/** Starts a service; returns its address and counts its requests and connections. */
async function serveCounted(answer: RequestListener) {
  const seen = {url: '', requests: 0, connections: 0}
  const {server, url} = await serve((request, response) => {
    seen.requests++
    answer(request, response)
  })
  server.on('connection', () => seen.connections++)
  seen.url = `${url}/path`
  return seen
}

/** A service that writes raw bytes after receiving something. */
async function serveBytes(answer: (socket: Socket) => void): Promise<string> {
  const {url} = await serveSockets(socket => void socket.once('data', () => answer(socket)))
  return `${url}/path`
}

const asked = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  headers: {},
  timeout: 5000,
  decompress: true,
  ...more,
})

describe('a request is sent once, unchanged', () => {
  test.each([500, 503, 429])('status %i is a response, and not retried', async status => {
    const service = await serveCounted((_, response) => {
      response.writeHead(status, {'retry-after': '0'}).end('no')
    })
    const answer = await createTransport()(asked(service.url))
    expect([answer.status, await text(answer.body)]).toEqual([status, 'no'])
    expect(service.requests).toBe(1)
  })

  test.each(['gzip', 'identity'])('a response within %s ignores later signals', async packing => {
    const packed = packing === 'gzip' ? gzipSync('hello') : Buffer.from('hello')
    const service = await serveCounted((_, response) => {
      response.writeHead(200, {'content-encoding': packing}).end(packed)
    })
    const {signal} = new AbortController()
    const answer = await createTransport()(asked(service.url, {signal}))
    expect(await text(answer.body)).toBe('hello')
    await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([])
  })

  test('a broken connection is reported, and not retried', async () => {
    const service = await serveCounted(request => request.socket.destroy())
    const call = createTransport()(asked(service.url))
    await expect(call).rejects.toMatchObject({name: 'NetworkError', cause: {code: 'ECONNRESET'}})
    expect(service.requests).toBe(1)
  })

  test('a redirect is a response', async () => {
    const service = await serveCounted((_, response) => {
      response.writeHead(302, {location: '/elsewhere'}).end()
    })
    const {status, headers, body} = await createTransport()(asked(service.url))
    body.resume()
    expect([status, headers.location, service.requests]).toEqual([302, '/elsewhere', 1])
  })

  test('only headers for the connection and compression are added', async () => {
    let headers = {}
    const service = await serveCounted((request, response) => {
      headers = request.headers
      response.end()
    })
    const send = createTransport()
    await buffer((await send(asked(service.url))).body)
    expect(Object.keys(headers).sort()).toEqual(['accept-encoding', 'connection', 'host'])
    const plain = {'accept-encoding': 'identity'}
    await buffer((await send(asked(service.url, {decompress: false, headers: plain}))).body)
    expect(headers).toMatchObject(plain)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    '%s without a body ends, and has the length 0',
    async method => {
      let length: string | undefined
      const service = await serveCounted((request, response) => {
        length = request.headers['content-length']
        request.resume().on('end', () => response.end('done'))
      })
      const {body} = await createTransport()(asked(service.url, {method}))
      expect([await text(body), length]).toEqual(['done', '0'])
    },
  )

  test.each([
    ['text', 'hellö'],
    ['bytes', Buffer.from('hellö')],
    ['a stream', () => Readable.from([Buffer.from('hel'), Buffer.from('lö')])],
  ])('a body of %s arrives', async (_, body) => {
    const service = await serveCounted((request, response) => void request.pipe(response))
    const sent = typeof body === 'function' ? body() : body
    const answer = await createTransport()(asked(service.url, {method: 'POST', body: sent}))
    expect(await text(answer.body)).toBe('hellö')
  })
})

describe('a response', () => {
  test('is decompressed if drv requested compression, otherwise unchanged', async () => {
    const packed = gzipSync('hello')
    const service = await serveCounted((_, response) => {
      response.writeHead(200, {'content-encoding': 'gzip', 'content-length': packed.length})
      response.end(packed)
    })
    const send = createTransport()
    const unpacked = await send(asked(service.url))
    expect(await text(unpacked.body)).toBe('hello')
    // These headers describe the compressed body.
    expect(unpacked.headers).not.toHaveProperty('content-length')
    const plain = await send(asked(service.url, {decompress: false}))
    expect(await buffer(plain.body)).toEqual(packed)
    expect(plain.headers).toMatchObject({'content-encoding': 'gzip'})
  })

  test.each([
    ['gzip', gzipSync('hello'), 'hello'],
    ['x-gzip', gzipSync('hello'), 'hello'],
    ['GZIP', gzipSync('hello'), 'hello'],
    ['br', brotliCompressSync('hello'), 'hello'],
    ['identity', Buffer.from('hello'), 'hello'],
    ['nothing', Buffer.alloc(0), ''],
    ['nothing, with 204', undefined, ''],
  ])('compressed with %s leaves its connection reusable', async (packing, packed, whole) => {
    const service = await serveCounted(({headers}, response) => {
      response.setHeader('content-encoding', packing.startsWith('nothing') ? 'gzip' : packing)
      response.setHeader('asked', String(headers['accept-encoding']))
      if (packed) response.setHeader('content-length', packed.length)
      response.writeHead(packed ? 200 : 204).end(packed)
    })
    const send = createTransport()
    for (let n = 0; n < 3; n++) {
      const {headers, body} = await send(asked(service.url))
      expect(await text(body)).toBe(whole)
      expect(headers.asked).toBe('gzip, br')
    }
    expect(service).toMatchObject({requests: 3, connections: 1})
  })

  test('that is compressed and breaks off fails because it breaks off', async () => {
    const url = await serveBytes(socket => {
      const packed = gzipSync(randomBytes(1000))
      socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2000\r\n\r\n')
      socket.end(packed.subarray(0, 500))
    })
    const {body} = await createTransport()(asked(url))
    const error = await buffer(body).catch((error: unknown) => networkFailure(error, url))
    expect(String(error)).toRead()
  })

  test('that is compressed and not read closes its connection', async () => {
    let closed: Promise<unknown> | undefined
    const service = await serveCounted((_, response) => {
      closed = once(response, 'close')
      response.writeHead(200, {'content-encoding': 'gzip'}).write(gzipSync('hello'))
    })
    const {body} = await createTransport()(asked(service.url))
    body.destroy()
    await closed
  })

  test('with broken compression fails while it is read', async () => {
    const service = await serveCounted((_, response) => {
      response.writeHead(200, {'content-encoding': 'gzip'}).end('this is not packed')
    })
    const {body} = await createTransport()(asked(service.url))
    const error = await text(body).catch((error: unknown) => networkFailure(error, service.url))
    expect(String(error)).toRead()
  })

  test('with an error status that breaks off keeps its status', async () => {
    const url = await serveBytes(socket => {
      socket.end('HTTP/1.1 403 No\r\ncontent-length: 100\r\n\r\n{"err')
    })
    const {status, body} = await createTransport()(asked(url))
    expect(status).toBe(403)
    await expect(text(body)).rejects.toThrow()
  })

  test('of another protocol ends the request', async () => {
    const url = await serveBytes(socket => {
      socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
    })
    await expect(createTransport()(asked(url))).rejects.toRead()
  })

  test.each([
    ['bytes', () => Buffer.alloc(32 * 1024 * 1024)],
    ['a stream', () => Readable.from(Array.from({length: 512}, () => Buffer.alloc(64 * 1024)))],
  ])('to an unfinished %s is read, whatever happens to the rest', async (_, open) => {
    let connection: Socket | undefined
    const url = await serveBytes(socket => {
      connection = socket
      socket.write('HTTP/1.1 413 Too large\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno')
    })
    const agents = createAgents({})
    const answer = await createTransport(agents)(asked(url, {method: 'POST', body: open()}))
    // The response has arrived, but has not been read.
    connection!.resetAndDestroy()
    const {agent} = await agents.agentFor(new URL(url))
    await expect.poll(() => agent.sockets).toEqual({})
    expect([answer.status, await text(answer.body)]).toEqual([413, 'no'])
  })
})

test('a connection on which the service stops reading is closed', async () => {
  const url = await serveBytes(socket => {
    socket.pause().write('HTTP/1.1 403 No\r\ncontent-length: 2\r\n\r\nno')
  })
  const agents = createAgents({})
  const body = Readable.from(Array.from({length: 512}, () => Buffer.alloc(64 * 1024)))
  const answer = await createTransport(agents)(asked(url, {method: 'POST', body}))
  expect(await text(answer.body)).toBe('no')
  const {agent} = await agents.agentFor(new URL(url))
  await expect.poll(() => ({...agent.sockets, ...agent.freeSockets})).toEqual({})
})

describe('the time limit', () => {
  beforeEach(stopTimers)

  test('ends a wait for a silent service', async () => {
    const service = await serveCounted(() => undefined)
    for (const method of ['GET', 'POST']) {
      const call = createTransport()(asked(service.url, {method, timeout: 500}))
      await expect(passTime(call)).rejects.toMatchObject({cause: {code: 'ETIMEDOUT'}})
    }
  })

  test.each([
    ['a stream', () => Readable.from(Array.from({length: 1000}, () => Buffer.alloc(64 * 1024)))],
    ['bytes', () => Buffer.alloc(64 * 1024 * 1024)],
    ['text', () => ' '.repeat(64 * 1024 * 1024)],
  ])('ends a wait for a service that stops reading the body, which is %s', async (_, open) => {
    const service = await serveCounted(request => void request.pause())
    const body = open()
    const call = createTransport()(asked(service.url, {method: 'POST', body, timeout: 200}))
    await expect(passTime(call)).rejects.toMatchObject({cause: {code: 'ETIMEDOUT'}})
    if (body instanceof Readable) expect(body.destroyed).toBe(true)
  })

  test('allows a service that reads a large chunk slowly', async () => {
    const service = await serveCounted(async (request, response) => {
      // 1600 milliseconds in total; the connection buffers less than a quarter of the body.
      for await (const chunk of request) vi.advanceTimersByTime(chunk.length / 40_000)
      response.end('done')
    })
    const body = Readable.from([Buffer.alloc(64_000_000)])
    const answer = await createTransport()(asked(service.url, {method: 'POST', body, timeout: 400}))
    expect(await text(answer.body)).toBe('done')
  })

  test('does not count pauses of our own source', async () => {
    const service = await serveCounted((request, response) => {
      request.once('data', () => {
        vi.advanceTimersByTime(200)
        body.end('end')
      })
      request.resume().on('end', () => response.end('done'))
    })
    const body = new PassThrough()
    body.write('begin')
    const answer = await createTransport()(asked(service.url, {method: 'POST', body, timeout: 100}))
    expect(await text(answer.body)).toBe('done')
  })
})

test('names a silent proxy, not the service, and ends requests through it', async () => {
  stopTimers()
  let closed = () => {}
  const closing = new Promise<void>(resolve => (closed = resolve))
  const url = new URL(await serveBytes(socket => void socket.once('close', closed)))
  const agents = createAgents({HTTPS_PROXY: url.origin})
  const call = createTransport(agents)(asked('https://files.example.test/', {timeout: 500}))
  await expect(passTime(call)).rejects.toMatchObject({
    name: 'ProxyError',
    message: `The proxy ${url.origin} did not respond in time.`,
    mayPass: false,
  })
  agents.close()
  await closing
})

describe('connections', () => {
  test('are reused', async () => {
    const service = await serveCounted((request, response) => {
      request.resume().on('end', () => response.end('done'))
    })
    const send = createTransport()
    for (const body of [undefined, 'text', Readable.from(['stream'])]) {
      const answer = await send(asked(service.url, {method: 'POST', body}))
      await buffer(answer.body)
    }
    expect([service.requests, service.connections]).toEqual([3, 1])
  })

  test('are closed when the service announces it', async () => {
    const service = await serveCounted((_, response) => {
      response.setHeader('keep-alive', 'timeout=7').end()
    })
    const agents = createAgents({})
    await buffer((await createTransport(agents)(asked(service.url))).body)
    const {agent} = await agents.agentFor(new URL(service.url))
    const kept = Object.values(agent.freeSockets).flatMap(sockets => sockets ?? [])
    expect(kept).toHaveLength(1)
    expect(kept[0]!.timeout).toBeGreaterThan(0)
    expect(kept[0]!.timeout).toBeLessThanOrEqual(7000)
  })
})

test.each([
  ['without an answer', ''],
  ['in the midst of one', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nsome'],
])('the error of a connection that breaks %s contains nothing of the request', async (_, begin) => {
  const url = await serveBytes(socket => socket.end(begin))
  const headers = {authorization: 'Bearer very-secret', cookie: 'also=secret'}
  const error: unknown = await createTransport()(asked(url, {headers}))
    .then(({body}) => text(body))
    .catch(error => networkFailure(error, url))
  expect(error).toMatchObject({name: 'NetworkError'})
  expect(inspect(error, {depth: 20, showHidden: true})).not.toContain('secret')
})

test.each([
  ['HEAD', 200],
  ['GET', 304],
  ['GET', 204],
])(
  'the response to %s with status %i has no body, whatever its headers say',
  async (method, status) => {
    const url = await serveBytes(socket => {
      const headers = 'content-length: 2000\r\ncontent-encoding: gzip\r\netag: "a"'
      socket.write(`HTTP/1.1 ${status} X\r\n${headers}\r\n\r\n`)
    })
    const response = await createTransport()(asked(url, {method, decompress: true}))
    expect(response.headers.etag).toBe('"a"')
    expect(await readBodyText(response, {url, idle: 1000}, 10)).toBe('')
  },
)
