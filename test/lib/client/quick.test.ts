import {once} from 'node:events'
import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {createServer, type AddressInfo, type Server, type Socket} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {text} from 'node:stream/consumers'
import {createServer as createTlsServer} from 'node:tls'
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import {NetworkError} from '../../../src/lib/client/errors.js'
import {checkedBody} from '../../../src/lib/client/incoming.js'
import {createQuickTransport as createQuickly} from '../../../src/lib/client/quick.js'
import {
  createTransport,
  type HttpRequest,
  type HttpResponse,
  type Send,
} from '../../../src/lib/client/transport.js'
import {certificate, missingOpenssl} from '../../certificate.js'

/** Many small requests, against services that answer byte for byte what a test says. */

const endings: Array<() => void> = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const end of endings.splice(0)) end()
})

const plain = (body: string, ...headers: string[]) =>
  ['HTTP/1.1 200 OK', `content-length: ${body.length}`, ...headers, '', body].join('\r\n')

/** Milliseconds. */
let now = 0
const createQuickTransport = (send: Send) => createQuickly(send, () => now)

/** Whether it ended well is nobody's business. */
const closed = async (socket: Socket) =>
  socket.closed || new Promise(settle => socket.once('close', settle))

interface Service {
  readonly url: string
  readonly sockets: Socket[]
  /** What was received on each connection. */
  readonly received: string[]
}

/** Answers the n-th request, whichever connection it comes on. */
type Answer = (socket: Socket, n: number, request: string) => void

async function serve(answer: Answer, host = '127.0.0.1'): Promise<Service> {
  const server = createServer()
  const service = watch(server, 'connection', answer)
  server.listen(0, host)
  await once(server, 'listening')
  const {port} = server.address() as AddressInfo
  return {...service, url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`}
}

function watch(server: Server, event: string, answer: Answer) {
  const sockets: Socket[] = []
  const received: string[] = []
  let requests = 0
  server.on(event, (socket: Socket) => {
    const at = sockets.push(socket) - 1
    received[at] = ''
    let pending = ''
    socket.on('error', () => undefined)
    socket.on('data', bytes => {
      received[at] += bytes.toString('latin1')
      pending += bytes.toString('latin1')
      for (;;) {
        const end = pending.indexOf('\r\n\r\n')
        const length = Number(/content-length: (\d+)/.exec(pending)?.[1] ?? 0)
        if (end < 0 || pending.length < end + 4 + length) return
        const request = pending.slice(0, end + 4 + length)
        pending = pending.slice(request.length)
        answer(socket, requests++, request)
      }
    })
  })
  endings.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return {sockets, received}
}

const asked = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  headers: {authorization: 'Bearer secret'},
  timeout: 1000,
  decompress: false,
  ...more,
})

const untouched: Send = async () => {
  throw new Error('This was left to the other transport.')
}

const words = async ({status, body, whole}: HttpResponse): Promise<string> =>
  `${status} ${whole ?? (await text(body))}`

describe('a plain answer', () => {
  test('comes whole, one after the other over one connection', async () => {
    const {url, sockets, received} = await serve((socket, n) => socket.write(plain(`answer ${n}`)))
    const send = createQuickTransport(untouched)
    for (const n of [0, 1, 2]) {
      const response = await send(asked(`${url}/path?n=${n}`))
      expect(response.whole?.toString()).toBe(`answer ${n}`)
      expect(await text(response.body)).toBe(`answer ${n}`)
    }
    expect(sockets).toHaveLength(1)
    const {host} = new URL(url)
    expect(received[0]).toBe(
      [0, 1, 2]
        .map(n =>
          [
            `GET /path?n=${n} HTTP/1.1`,
            `host: ${host}`,
            'authorization: Bearer secret',
            '',
            '',
          ].join('\r\n'),
        )
        .join(''),
    )
  })

  test('to each of several at once goes over a connection of its own', async () => {
    const waiting: Array<() => void> = []
    const {url, sockets} = await serve((socket, n, request) => {
      waiting.push(() => socket.write(plain(/GET (\S+)/.exec(request)![1]!)))
      if (n < 4 && waiting.length < 4) return
      for (const go of waiting.splice(0).reverse()) go()
    })
    const send = createQuickTransport(untouched)
    const paths = ['/a', '/b', '/c', '/d']
    const bodies = async () =>
      Promise.all(paths.map(async path => words(await send(asked(url + path)))))
    const expected = paths.map(path => `200 ${path}`)
    expect(await bodies()).toEqual(expected)
    expect(sockets).toHaveLength(4)
  })

  test.each(['', 'x', 'x'.repeat(300_000)])('may come in single pieces', async body => {
    const {url} = await serve(async socket => {
      const all = plain(body, 'x: y')
      for (const byte of all.slice(0, 60)) {
        socket.write(byte)
        await new Promise(setImmediate)
      }
      socket.write(all.slice(60))
    })
    const send = createQuickTransport(untouched)
    for (const _ of [0, 1]) expect(await words(await send(asked(url)))).toBe(`200 ${body}`)
  })

  test('to content says how long that is, and that there is none', async () => {
    const {url, received} = await serve(socket => socket.write(plain('')))
    const send = createQuickTransport(untouched)
    const content = 'é'.repeat(200_000)
    const body = Buffer.from(content)
    await send(asked(url, {method: 'POST', body, headers: {'content-type': 'a/b'}}))
    await send(asked(url, {method: 'PUT', body: 'é', decompress: true}))
    await send(asked(url, {method: 'POST'}))
    const [first, second, third] = received[0]!.split(/(?=POST |PUT )/)
    expect(first).toContain('\r\ncontent-length: 400000\r\n\r\n')
    expect(Buffer.from(first!.slice(-400_000), 'latin1').toString()).toBe(content)
    expect(second).toMatch(/\r\ncontent-length: 2\r\n\r\n\xc3\xa9$/)
    expect(third).toMatch(/\r\ncontent-length: 0\r\n\r\n$/)
  })

  test('of any status is one', async () => {
    const {url} = await serve(socket =>
      socket.write('HTTP/1.1 429 Slow down\r\nretry-after: 3\r\ncontent-length: 2\r\n\r\nno'),
    )
    const {status, headers, whole} = await createQuickTransport(untouched)(asked(url))
    expect([status, headers['retry-after'], String(whole)]).toEqual([429, '3', 'no'])
  })

  test('comes from an address of IPv6', async ({skip}) => {
    const service = await serve(socket => socket.write(plain('six')), '::1').catch(() => undefined)
    if (!service) return skip('This machine has no IPv6.')
    expect(await words(await createQuickTransport(untouched)(asked(service.url)))).toBe('200 six')
    expect(service.received[0]).toContain(`host: ${new URL(service.url).host}\r\n`)
  })
})

describe('a connection is not used again', () => {
  const twice = async (answer: Answer, between?: (sockets: Socket[]) => unknown) => {
    const {url, sockets} = await serve(answer)
    const send = createQuickTransport(untouched)
    expect(await words(await send(asked(url)))).toBe('200 first')
    await between?.(sockets)
    return {second: await words(await send(asked(url))), connections: sockets.length}
  }
  const ended = {second: '200 second', connections: 2}
  const numbered = (n: number) => (n === 0 ? 'first' : 'second')

  test.each([
    ['that the service ends', 'connection: close'],
    ['that is kept too short', 'keep-alive: timeout=1'],
  ])('%s', async (_, header) => {
    expect(await twice((socket, n) => socket.write(plain(numbered(n), header)))).toEqual(ended)
  })

  test('behind whose answer more came', async () => {
    const result = await twice((socket, n) =>
      socket.write(plain(numbered(n)) + (n === 0 ? plain('forged') : '')),
    )
    expect(result).toEqual(ended)
  })

  test('that sent what nobody asked for', async () => {
    const result = await twice(
      (socket, n) => socket.write(plain(numbered(n))),
      async ([socket]) => {
        socket!.write(plain('forged'))
        await closed(socket!)
      },
    )
    expect(result).toEqual(ended)
  })

  test('that was closed meanwhile', async () => {
    const result = await twice(
      (socket, n) => socket.write(plain(numbered(n))),
      async ([socket]) => {
        socket!.end()
        await closed(socket!)
        // Both sides learn of it in the same turn, in an order of their own.
        await new Promise(setImmediate)
      },
    )
    expect(result).toEqual(ended)
  })

  test('that stays unused for longer than the service keeps it', async () => {
    const result = await twice(
      (socket, n) => socket.write(plain(numbered(n), 'keep-alive: timeout=2')),
      () => {
        now += 1000
      },
    )
    expect(result).toEqual(ended)
  })

  test('whose request was not sent to its end', async () => {
    const {url, sockets} = await serve(() => undefined)
    const send = createQuickTransport(untouched)
    const body = Buffer.alloc(20_000_000)
    const answered = send(asked(url, {method: 'POST', body, timeout: 5000}))
    while (sockets.length === 0) await new Promise(setImmediate)
    sockets[0]!.pause()
    sockets[0]!.write('HTTP/1.1 413 Too much\r\ncontent-length: 4\r\n\r\nmuch')
    expect(await words(await answered)).toBe('413 much')
    sockets[0]!.resume()
    await closed(sockets[0]!)
  })
})

describe('an answer that is not plain', () => {
  const hello = 'hello '.repeat(10)
  const cases: Array<[string, string, string?]> = [
    [
      'in chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      'abc',
    ],
    ['until the end', 'HTTP/1.1 200 OK\r\nx: y\r\n\r\nall of it', 'all of it'],
    ['of an older version', `HTTP/1.0 200 OK\r\ncontent-length: 60\r\n\r\n${hello}`, hello],
    ['after another', `HTTP/1.1 100 Continue\r\n\r\n${plain('real')}`, 'real'],
    ['with a folded line', 'HTTP/1.1 200 OK\r\nx: y\r\n z\r\ncontent-length: 1\r\n\r\na'],
    ['with two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['that is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['with an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`],
    ['with a large body', plain('x'.repeat(3_000_000)), 'x'.repeat(3_000_000)],
  ]
  test.each(cases)('%s is what it is to Node', async (_, answer, expected) => {
    const ask = async (send: Send) => {
      const {url, received} = await serve(socket => socket.end(answer))
      const result = await send(asked(url)).then(
        async ({status, headers, body}) => ({status, headers, body: await text(body)}),
        (error: NetworkError) => {
          expect(error).toBeInstanceOf(NetworkError)
          return (error.cause as NodeJS.ErrnoException).code
        },
      )
      // It was asked for once.
      expect(received.map(all => all.split('GET ').length - 1)).toEqual([1])
      return result
    }
    const result = await ask(createQuickTransport(createTransport()))
    expect(result).toEqual(await ask(createTransport()))
    if (expected !== undefined) expect(result).toMatchObject({status: 200, body: expected})
  })

  test('has the rest of its service asked for in the usual way', async () => {
    const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'
    const {url} = await serve(socket => socket.write(chunked))
    const usual: HttpRequest[] = []
    const node = createTransport()
    const send = createQuickTransport(request => {
      usual.push(request)
      return node(request)
    })
    for (const _ of [0, 1, 2]) expect(await words(await send(asked(url)))).toBe('200 a')
    expect(usual.map(({connection}) => connection !== undefined)).toEqual([true, false, false])
    const other = await serve(socket => socket.write(plain('b')))
    expect(await words(await send(asked(other.url)))).toBe('200 b')
    expect(usual).toHaveLength(3)
  })

  test('may be read slowly, and be given up halfway', async () => {
    const answer = Buffer.from(plain('x'.repeat(8_000_000)))
    const {url, sockets} = await serve(socket => socket.write(answer))
    const {body} = await createQuickTransport(createTransport())(asked(url, {timeout: 100}))
    for (let read = 0; read < 2; read += 1) {
      await new Promise(settle => setTimeout(settle, 150))
      expect(body.read()).toBeInstanceOf(Buffer)
    }
    body.destroy()
    await closed(sockets[0]!)
  })

  test.each([
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ])('%s ends its connection, which the service would keep', async (_, answer) => {
    const {url, sockets} = await serve(socket => socket.write(answer))
    const {body} = await createQuickTransport(createTransport())(asked(url))
    await text(body)
    await closed(sockets[0]!)
  })

  test.each([
    ['of another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    [
      'that changes the protocol',
      'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    ],
    ['whose lines end otherwise', 'HTTP/1.1 200 OK\ncontent-length: 1\n\na'],
  ])('%s is told at once, though the service would say more', async (_, answer) => {
    const {url} = await serve(socket => socket.write(answer))
    await expect(createQuickTransport(createTransport())(asked(url))).rejects.toThrow(
      'something that is not HTTP',
    )
  })

  test.each([
    ['the service', (socket: Socket) => void socket.resetAndDestroy()],
    [
      'whoever asked',
      (_: Socket, controller: AbortController) => controller.abort(new Error('Off')),
    ],
  ])('may be ended by %s before Node takes it', async (_, end) => {
    const controller = new AbortController()
    const {url, sockets} = await serve(socket =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'),
    )
    const node = createTransport()
    const send = createQuickTransport(async request => {
      end(sockets[0]!, controller)
      await new Promise(settle => request.connection!.once('close', settle))
      return node(request)
    })
    const answer = send(asked(url, {signal: controller.signal}))
    await expect(answer).rejects.toThrow(/broke off|Off/)
    await closed(sockets[0]!)
  })

  test('breaks where it breaks', async () => {
    const {url} = await serve(socket => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab')
      setTimeout(() => socket.resetAndDestroy(), 20)
    })
    const {body} = await createQuickTransport(createTransport())(asked(url))
    await expect(text(body)).rejects.toMatchObject({code: 'ECONNRESET'})
  })
})

test('a request that cannot be written costs no connection', async () => {
  const {url, sockets} = await serve(socket => socket.write(plain('')))
  const send = createQuickTransport(untouched)
  const wrong = asked(url, {headers: {'content-type': 'a\nb'}})
  await expect(send(wrong)).rejects.toThrow('Invalid character')
  await send(asked(url))
  await expect(send(wrong)).rejects.toThrow('Invalid character')
  await send(asked(url))
  expect(sockets).toHaveLength(1)
})

test('what is not a plain request goes the usual way', async () => {
  const usual: HttpRequest[] = []
  const send = createQuickTransport(async request => {
    usual.push(request)
    return {status: 200, headers: {}, body: Readable.from([])}
  })
  const requests = [
    asked('http://127.0.0.1:1/a', {isLarge: true}),
    asked('http://127.0.0.1:1/b', {decompress: true}),
    asked('http://127.0.0.1:1/c', {method: 'HEAD'}),
    asked('http://127.0.0.1:1/d', {method: 'POST', body: Readable.from(['x'])}),
  ]
  for (const request of requests) await send(request)
  expect(usual).toEqual(requests)
})

describe('without an answer', () => {
  const failing = async (answer: Answer, more?: Partial<HttpRequest>) => {
    const {url} = await serve(answer)
    return createQuickTransport(untouched)(asked(url, more))
  }
  const broken = (code: string) => ({name: 'NetworkError', cause: {code}})

  test('a connection that is closed is told', async () => {
    await expect(failing(socket => socket.end())).rejects.toMatchObject(broken('ECONNRESET'))
    const begun = failing(socket => socket.end('HTTP/1.1 200 OK\r\ncontent-le'))
    await expect(begun).rejects.toMatchObject(broken('ECONNRESET'))
  })

  test('one that is reset is', async () => {
    const reset = failing(socket => socket.resetAndDestroy())
    await expect(reset).rejects.toMatchObject(broken('ECONNRESET'))
  })

  test('a service that is not there is', async () => {
    const {url, sockets} = await serve(() => undefined)
    for (const end of endings.splice(0)) end()
    expect(sockets).toEqual([])
    await expect(createQuickTransport(untouched)(asked(url))).rejects.toMatchObject(
      broken('ECONNREFUSED'),
    )
  })

  test('one that stays silent is given up', async () => {
    const silent = failing(() => undefined, {timeout: 60})
    await expect(silent).rejects.toMatchObject(broken('ETIMEDOUT'))
    const halfway = failing(socket => socket.write('HTTP/1.1 200 OK\r\n'), {timeout: 60})
    await expect(halfway).rejects.toMatchObject(broken('ETIMEDOUT'))
  })

  test.each([
    ['breaks off', (socket: Socket) => void setTimeout(() => socket.destroy(), 20), /broke off/],
    ['falls silent', () => undefined, /did not answer in time/],
  ])('what came before a service %s counts', async (_, stop, words) => {
    const response = await failing(
      socket => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')
        stop(socket)
      },
      {timeout: 80},
    )
    const came: string[] = []
    const read = async () => {
      const reading = {url: 'http://127.0.0.1', idle: 1000}
      for await (const chunk of checkedBody(response, 10, reading)) came.push(String(chunk))
    }
    await expect(read()).rejects.toThrow(words)
    expect(came).toEqual(['half'])
  })

  test('a refusal counts though nothing of its words came', async () => {
    const {status, body} = await failing(socket =>
      socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 3\r\n\r\n'),
    )
    expect(status).toBe(401)
    await expect(text(body)).rejects.toMatchObject({code: 'ECONNRESET'})
  })

  test('what breaks off harms nobody who does not want it', async () => {
    const {body} = await failing(socket =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab'),
    )
    // Without somebody to hear of it, an error would end the process.
    expect(body.resume().listenerCount('error')).toBeGreaterThan(0)
    await new Promise(settle => body.once('close', settle))
  })
})

describe('whoever calls a request off', () => {
  const reason = new Error('Called off.')

  test('before it began has nothing sent', async () => {
    const {url, sockets} = await serve(socket => socket.write(plain('')))
    const signal = AbortSignal.abort(reason)
    await expect(createQuickTransport(untouched)(asked(url, {signal}))).rejects.toBe(reason)
    expect(sockets).toEqual([])
  })

  test.each(['', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'])(
    'under way ends its connection',
    async begun => {
      const controller = new AbortController()
      const {url, sockets} = await serve(socket => {
        socket.write(begun)
        setTimeout(() => controller.abort(reason), 20)
      })
      const {signal} = controller
      await expect(createQuickTransport(untouched)(asked(url, {signal}))).rejects.toBe(reason)
      await closed(sockets[0]!)
    },
  )

  test('when it is over changes nothing', async () => {
    const {url, sockets} = await serve((socket, n) => socket.write(plain(String(n))))
    const send = createQuickTransport(untouched)
    const controller = new AbortController()
    await send(asked(url, {signal: controller.signal}))
    controller.abort(reason)
    expect(await words(await send(asked(url)))).toBe('200 1')
    expect(sockets).toHaveLength(1)
  })
})

describe.skipIf(missingOpenssl)('over TLS', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'drv-'))
    endings.push(() => rmSync(folder, {recursive: true}))
  })

  async function serveTls(answer: Answer) {
    const {cert, key} = certificate(folder, 'own')
    const server = createTlsServer({cert: readFileSync(cert), key: readFileSync(key)})
    server.on('tlsClientError', () => undefined)
    const service = watch(server, 'secureConnection', answer)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const {port} = server.address() as AddressInfo
    return {...service, url: `https://127.0.0.1:${port}`}
  }

  test('answers come one after the other, in pieces too, and odd ones', async () => {
    // The certificate is nobody's business here.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const content = 'x'.repeat(200_000)
    const {url, sockets} = await serveTls(async (socket, n) => {
      const all = plain(`${n} ${content}`)
      socket.write(all.slice(0, 90))
      await new Promise(setImmediate)
      socket.write(all.slice(90, 100_000))
      await new Promise(settle => setTimeout(settle, 5))
      if (n < 3) socket.write(all.slice(100_000))
      else socket.end(all.slice(100_000))
    })
    const send = createQuickTransport(untouched)
    for (const n of [0, 1, 2, 3]) {
      expect(await words(await send(asked(url)))).toBe(`200 ${n} ${content}`)
    }
    expect(sockets).toHaveLength(1)
    const odd = await serveTls(socket => socket.end(`HTTP/1.1 200 OK\r\n\r\n${content}`))
    const other = createQuickTransport(createTransport())
    expect(await words(await other(asked(odd.url)))).toBe(`200 ${content}`)
  })

  test('nothing is sent to a certificate that nobody trusts', async () => {
    const {url, received} = await serveTls(socket => socket.write(plain('')))
    await expect(createQuickTransport(untouched)(asked(url))).rejects.toMatchObject({
      name: 'NetworkError',
      cause: {code: 'DEPTH_ZERO_SELF_SIGNED_CERT'},
    })
    await new Promise(settle => setTimeout(settle, 50))
    expect(received.join('')).toBe('')
  })
})
