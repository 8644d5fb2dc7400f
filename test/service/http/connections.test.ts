import {once} from 'node:events'
import {connect, type Socket} from 'node:net'
import {Readable} from 'node:stream'
import {text} from 'node:stream/consumers'
import {setImmediate} from 'node:timers/promises'
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest'
import {readFaultPlan} from '#lib/service/faults/read.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import {startServer} from '#lib/service/server/server.js'
import {startTestService, type TestService} from '../harness.js'

/** Connections whose request gets a response before its body has been read completely. */

const MB = 1024 * 1024
const HOUR = 3_600_000

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

function open({url}: {url: string}): Socket {
  const {hostname, port} = new URL(url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  return socket
}

function head(service: TestService, line: string, headers: readonly string[] = []): string {
  const token = `Authorization: Bearer ${service.token()}`
  return [`${line} HTTP/1.1`, 'Host: localhost', token, ...headers, '', ''].join('\r\n')
}

/** Sends a whole body before reading. Returns everything received until the connection ended without an error. */
async function sentWhole(socket: Socket, start: string, body: Buffer): Promise<string> {
  socket.pause()
  socket.write(start)
  await new Promise<void>((resolve, reject) => {
    socket.write(body, error => (error ? reject(error) : resolve()))
  })
  return text(socket)
}

const sized = (size: number, ...more: string[]) => [`Content-Length: ${size}`, ...more]
const MULTIPART = 'Content-Type: multipart/related; boundary=b'

describe('a client that sends everything before reading still gets the refusal, then the connection ends', () => {
  let service: TestService
  beforeAll(async () => {
    const plan = {rules: [{operations: 'files.touch', fault: 'status', status: 503}]}
    service = await startTestService({faults: readFaultPlan(JSON.stringify(plan))})
  })
  afterAll(() => service.close())

  const size = 20 * MB
  test.each<[string, number, string, string[]?]>([
    [
      'a multipart body without a boundary',
      400,
      'POST /upload/drive/v2/files?uploadType=multipart',
    ],
    [
      'a multipart body that is none',
      400,
      'POST /upload/drive/v2/files?uploadType=multipart',
      [MULTIPART],
    ],
    ['too much JSON', 413, 'POST /drive/v2/files'],
    ['packed content', 415, 'POST /upload/drive/v2/files', ['Content-Encoding: gzip']],
    ['a wrong parameter', 400, 'POST /upload/drive/v2/files?convert=perhaps'],
    ['an upload session that is not there', 404, 'PUT /upload/drive/v2/files?upload_id=none'],
    ['a path that is not there', 404, 'POST /nowhere'],
    ['a method that is none', 405, 'OPTIONS /drive/v2/files'],
    ['a body where none is read', 404, 'POST /drive/v2/files/none/trash'],
    ['a batch that is none', 400, 'POST /batch'],
    ['a form that is too long', 413, 'POST /login/oauth/access_token'],
    ['a fault of a plan', 503, 'POST /drive/v2/files/none/touch'],
  ])('%s', async (_, status, line, more = []) => {
    const answer = await sentWhole(
      open(service),
      head(service, line, sized(size, ...more)),
      Buffer.alloc(size, 'x'),
    )
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toMatch(/^connection: close\r$/im)
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  test('another host', async () => {
    const start = `POST /drive/v2/files HTTP/1.1\r\nHost: evil.example\r\nContent-Length: ${size}\r\n\r\n`
    expect(await sentWhole(open(service), start, Buffer.alloc(size))).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('a client of HTTP/1.0', async () => {
    const start = `POST /drive/v2/files HTTP/1.0\r\nHost: localhost\r\nContent-Length: ${size}\r\n\r\n`
    expect(await sentWhole(open(service), start, Buffer.alloc(size))).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('chunked content, more than its session expects', async () => {
    const begun = await service.send('POST', '/upload/drive/v2/files', {
      query: {uploadType: 'resumable'},
    })
    const {pathname, search} = new URL(begun.headers.get('location')!)
    const chunk = Buffer.concat([
      Buffer.from(`${size.toString(16)}\r\n`),
      Buffer.alloc(size, 'x'),
      Buffer.from('\r\n0\r\n\r\n'),
    ])
    const headers = ['Transfer-Encoding: chunked', 'Content-Range: bytes 0-99/100']
    const start = head(service, `PUT ${pathname}${search}`, headers)
    const answer = await sentWhole(open(service), start, chunk)
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*connection: close\r\n/i)
  })
})

test('the connection ends after a limit of bytes anyway', async () => {
  const service = await startTestService({connections: {drainBytes: MB, drainTime: HOUR}})
  const socket = open(service)
  socket.on('error', () => undefined)
  socket.write(head(service, 'POST /nowhere', sized(1024 * MB)))
  const answer = once(socket, 'data')
  let sent = 0
  while (!socket.closed && sent < 1024) {
    sent++
    await new Promise(resolve => socket.write(Buffer.alloc(MB), resolve))
  }
  expect(String(await answer)).toMatch(/^HTTP\/1\.1 404 /)
  // Bytes in the buffers of the connection count as well.
  expect(sent).toBeLessThan(64)
  await service.close()
})

test('an endless sender is not waited for', async () => {
  const service = await startTestService({connections: {drainTime: 20}})
  const socket = open(service)
  socket.write(head(service, 'POST /nowhere', sized(100)) + 'not yet 100')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 [^]*connection: close\r\n/i)
  await service.close()
})

test('a stopping service does not wait for the rest of a request', async () => {
  const service = await startTestService({connections: {drainTime: HOUR}})
  const socket = open(service)
  socket.write(head(service, 'POST /nowhere', sized(100)) + 'not yet 100')
  await once(socket, 'data')
  // Shorter than an hour.
  await service.close()
})

test('a stopping service does not wait for unused connections', async () => {
  const service = await startTestService()
  const unused = Array.from({length: 5}, () => open(service))
  await Promise.all(unused.map(socket => once(socket, 'connect')))
  await service.send('GET', 'about')
  const start = performance.now()
  await service.close()
  expect(performance.now() - start).toBeLessThan(2500)
})

test('many closed connections cause no warning', async () => {
  const service = await startTestService({connections: {drainTime: HOUR}})
  const warnings: Error[] = []
  const warn = (warning: Error) => warnings.push(warning)
  process.on('warning', warn)
  for (let count = 0; count < 20; count++) {
    const socket = open(service)
    socket.write(head(service, 'POST /nowhere', sized(100)) + 'not yet 100')
    await once(socket, 'data')
  }
  await service.close()
  process.off('warning', warn)
  expect(warnings).toEqual([])
})

describe('a client with Expect: 100-continue', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({connections: {drainTime: HOUR}})
  })
  afterAll(() => service.close())
  const asking = (line: string, size: number) =>
    head(service, line, sized(size, 'Expect: 100-continue'))

  test('gets 100 only when the body is read, and keeps the connection', async () => {
    const socket = open(service)
    socket.write(asking('POST /upload/drive/v2/files', 5))
    expect(String((await once(socket, 'data'))[0])).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('Hello')
    const answer = String((await once(socket, 'data'))[0])
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*connection: keep-alive\r\n/i)
  })

  test('is refused without 100, and need not send', async () => {
    const socket = open(service)
    // This client closes the connection after reading the response.
    socket.once('data', () => socket.end())
    socket.write(asking('POST /upload/drive/v2/files?convert=perhaps', 5 * MB))
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*connection: close\r\n/i)
    expect(answer).not.toContain('100 Continue')
  })

  test('that sends without waiting gets the refusal, too', async () => {
    const start = asking('POST /upload/drive/v2/files?convert=perhaps', 5 * MB)
    const answer = await sentWhole(open(service), start, Buffer.alloc(5 * MB))
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })
})

describe('reused connections', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  test('stay open for 10 minutes without a request', async () => {
    const {headers} = await service.send('GET', 'about')
    expect([headers.get('connection'), headers.get('keep-alive')]).toEqual([
      'keep-alive',
      'timeout=600',
    ])
  })

  test('stay open after a refusal whose body was received completely', async () => {
    const socket = open(service)
    const answers: string[] = []
    for (const [line, body] of [
      ['POST /drive/v2/files', '{'],
      ['POST /drive/v2/files/none/trash', '{}'],
      ['POST /nowhere', 'x'.repeat(1000)],
      ['GET /drive/v2/about?fields=name', ''],
    ] as const) {
      socket.write(head(service, line, sized(body.length)) + body)
      answers.push(String((await once(socket, 'data'))[0]).slice(0, 12))
    }
    expect(answers).toEqual(['HTTP/1.1 400', 'HTTP/1.1 404', 'HTTP/1.1 404', 'HTTP/1.1 200'])
  })

  test('stay open after a multipart upload, whatever follows the last part', async () => {
    const parts =
      '--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b--\r\n'
    const {status, headers} = await service.send('POST', '/upload/drive/v2/files', {
      query: {uploadType: 'multipart'},
      headers: {'content-type': 'multipart/related; boundary=b'},
      body: new Blob([parts, 'epilogue'.repeat(5000)]).stream(),
    })
    expect([status, headers.get('connection')]).toEqual([200, 'keep-alive'])
  })
})

test('a response to a disconnected client ends before the service stops', async () => {
  let release: (() => void) | undefined
  const body = new Readable({
    read() {
      this.push('x')
    },
    destroy(error, done) {
      release = () => done(error)
    },
  })
  const app = () => Promise.resolve({status: 200, body})
  const server = await startServer(app, {host: '127.0.0.1', port: 0, log: () => undefined})
  const reader = open(server)
  reader.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(reader, 'data')
  reader.destroy()
  await expect.poll(() => release).toBeDefined()
  let isOver = false
  const closed = server.close().then(() => (isOver = true))
  for (let turn = 0; turn < 50; turn++) await setImmediate()
  expect(isOver).toBe(false)
  release!()
  await closed
})

describe('a client that disconnects without the responses to pipelined requests', () => {
  test.each<[string, () => ServiceResponse]>([
    ['empty', () => ({status: 204})],
    ['a text', () => ({status: 200, body: 'x'.repeat(MB)})],
    ['a stream', () => ({status: 200, body: Readable.from([Buffer.alloc(MB), Buffer.alloc(MB)])})],
  ])('blocks nothing: %s', async (_, answer) => {
    const waiting: ((response: ServiceResponse) => void)[] = []
    let connection: Socket | undefined
    const app = ({socket}: ServiceRequest) => {
      connection = socket
      return new Promise<ServiceResponse>(resolve => waiting.push(resolve))
    }
    const logged: unknown[] = []
    const options = {host: '127.0.0.1', port: 0, log: (error: unknown) => logged.push(error)}
    const server = await startServer(app, options)
    const reader = open(server)
    reader.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3))
    await expect.poll(() => waiting).toHaveLength(3)
    // The second one is running when the client disconnects; the third one is answered later.
    waiting[1]!(answer())
    reader.destroy()
    await once(connection!, 'close')
    for (const reply of waiting) reply(answer())
    await server.close()
    expect(logged).toEqual([])
  })
})

test('a failing reset of a disconnected client does not block the stop', async () => {
  let hear: () => void
  const isReset = new Promise<void>(resolve => (hear = resolve))
  const app = async ({socket}: ServiceRequest): Promise<ServiceResponse> => {
    // For such a socket, Node emits `error`, but never `close`.
    Object.assign((socket as unknown as {_handle: object})._handle, {reset: () => -107})
    socket!.resetAndDestroy()
    hear()
    return {status: 204}
  }
  const server = await startServer(app, {host: '127.0.0.1', port: 0, log: () => undefined})
  open(server).write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await isReset
  await server.close()
})
