import type {IncomingMessage, ServerResponse} from 'node:http'
import {Readable} from 'node:stream'
import {buffer} from 'node:stream/consumers'
import {describe, expect, test, vi} from 'vitest'
import {InputError, NetworkError, ServiceError} from '#lib/client/errors.js'
import {createClient} from '#lib/client/index.js'
import {createTransport} from '#lib/client/transport/transport.js'
import {passTime, stopTimers} from '../../support/clock.js'
import {serve} from '../../support/serve.js'

/** Content over a real socket: mocks behave differently for lengths, chunks and broken connections. */

async function clientsOf(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const {url: baseUrl} = await serve((request, response) => void answer(request, response))
  return (timeout = 5000) => createClient({baseUrl, token: async () => 'token', timeout})
}

interface Received {
  url?: string
  headers: IncomingMessage['headers']
  body: string
}

/** Records the only request and responds with success. */
async function recorder() {
  const received: Received[] = []
  const client = await clientsOf(async (request, response) => {
    const body = (await buffer(request)).toString('latin1')
    received.push({url: request.url, headers: request.headers, body})
    response.setHeader('content-type', 'application/json')
    response.end('{"id":"new"}')
  })
  return {client, received}
}

const bytes = (text: string) => () => Readable.from([Buffer.from(text, 'latin1')])

describe('uploads', () => {
  test('content without metadata is sent as it is, with its length', async () => {
    const {client, received} = await recorder()
    const upload = {open: bytes('hello'), size: 5, mimeType: 'text/plain'}
    expect(await client().call('files.insert', {params: {}, body: {}, upload})).toEqual({id: 'new'})
    expect(received[0]).toMatchObject({
      url: '/upload/drive/v2/files?uploadType=media',
      headers: {'content-type': 'text/plain', 'content-length': '5'},
      body: 'hello',
    })
  })

  test.each([5, undefined])('content with metadata is sent in two parts (size %s)', async size => {
    const {client, received} = await recorder()
    const upload = {open: bytes('he\u0000\u00FFo'), size, mimeType: 'application/x-test'}
    await client().call('files.update', {params: {fileId: 'a'}, body: {title: 'T'}, upload})
    const {url, headers, body} = received[0]!
    expect(url).toBe('/upload/drive/v2/files/a?uploadType=multipart')
    const boundary = /^multipart\/related; boundary=(.+)$/.exec(headers['content-type']!)![1]
    expect(body).toBe(
      `--${boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{"title":"T"}\r\n` +
        `--${boundary}\r\nContent-Type: application/x-test\r\n\r\nhe\u0000\u00FFo\r\n--${boundary}--\r\n`,
    )
    expect(headers['content-length']).toBe(size === undefined ? undefined : String(body.length))
    expect(headers['transfer-encoding']).toBe(size === undefined ? 'chunked' : undefined)
  })

  test('an empty file is a file', async () => {
    const {client, received} = await recorder()
    const upload = {open: () => Readable.from([]), size: 0}
    await client().call('files.insert', {params: {}, upload})
    expect(received[0]).toMatchObject({
      headers: {'content-length': '0', 'content-type': 'application/octet-stream'},
      body: '',
    })
  })

  test.each([3, 9])(
    'content that changes during the upload is an error (%i bytes announced)',
    async size => {
      const {client} = await recorder()
      const call = client().call('files.insert', {params: {}, upload: {open: bytes('hello'), size}})
      await expect(call).rejects.toThrow(InputError)
      await expect(call).rejects.toRead()
    },
  )

  test('an error of the content is passed on', async () => {
    const {client} = await recorder()
    const broken = Object.assign(new Error('EIO: i/o error, read'), {code: 'EIO'})
    async function* content() {
      yield Buffer.from('he')
      throw broken
    }
    const upload = {open: () => Readable.from(content())}
    await expect(client().call('files.insert', {params: {}, upload})).rejects.toBe(broken)
  })

  test('a refusal before the end of the content is received', async () => {
    const client = await clientsOf((_, response) => {
      response.writeHead(413, {connection: 'close'})
      response.end('{"message":"Too large"}')
    })
    function* content() {
      for (let sent = 0; sent < 2000; sent++) yield Buffer.alloc(64 * 1024)
    }
    const upload = {open: () => Readable.from(content())}
    const call = client().call('files.insert', {params: {}, upload})
    await expect(call).rejects.toThrow(ServiceError)
    await expect(call).rejects.toMatchObject({status: 413, message: 'Too large'})
  })

  test('a media type with a line break is never sent', async () => {
    const {client, received} = await recorder()
    const upload = {open: bytes('x'), mimeType: 'text/plain\r\nX-Evil: 1'}
    const call = client().call('files.insert', {params: {}, body: {title: 'T'}, upload})
    await expect(call).rejects.toRead()
    expect(received).toEqual([])
  })
})

describe('downloads', () => {
  test('requests the content, and returns its type', async () => {
    let asked: Received | undefined
    const client = await clientsOf(({url, headers}, response) => {
      asked = {url, headers, body: ''}
      response.writeHead(200, {'content-type': 'text/plain', 'content-length': 5, etag: '"e"'})
      response.end('hello')
    })
    const {stream, cancel, ...rest} = await client().download('files.get', {params: {fileId: 'a'}})
    expect(rest).toEqual({size: 5, start: 0, mimeType: 'text/plain', etag: '"e"'})
    expect((await buffer(stream)).toString()).toBe('hello')
    expect(asked).toMatchObject({
      url: '/drive/v2/files/a?alt=media',
      headers: {'accept-encoding': 'identity', authorization: 'Bearer token'},
    })
  })

  test('an export needs no parameter for content', async () => {
    const client = await clientsOf(({url}, response) => response.end(url))
    const params = {fileId: 'a', mimeType: 'text/plain'}
    const {stream, size} = await client().download('files.export', {params})
    expect((await buffer(stream)).toString()).toBe('/drive/v2/files/a/export?mimeType=text%2Fplain')
    expect(size).toBe(46)
  })

  test('content of unknown length arrives complete', async () => {
    const client = await clientsOf((_, response) => {
      response.write('a'.repeat(100_000))
      response.end('b')
    })
    const {stream, size} = await client().download('files.get', {params: {fileId: 'a'}})
    expect(size).toBeUndefined()
    expect(await buffer(stream)).toHaveLength(100_001)
  })

  test.each([
    ['announced', {'content-length': '100'}],
    ['unknown', {}],
  ])('a body that breaks off is an error, never a short file (length %s)', async (_, headers) => {
    const client = await clientsOf((request, response) => {
      response.writeHead(200, headers)
      response.write('hello', () => request.socket.destroy())
    })
    const {stream} = await client().download('files.get', {params: {fileId: 'a'}})
    await expect(buffer(stream)).rejects.toThrow(NetworkError)
  })

  test('a service that stops sending times out', async () => {
    stopTimers()
    const client = await clientsOf((_, response) => {
      response.writeHead(200, {'content-length': '100'})
      response.write('hello')
    })
    const {stream} = await client(50).download('files.get', {params: {fileId: 'a'}})
    await expect(passTime(buffer(stream))).rejects.toRead()
  })

  test('a slow reader does not time out', async () => {
    stopTimers()
    const client = await clientsOf((_, response) => response.end(Buffer.alloc(1_000_000)))
    const {stream} = await client(50).download('files.get', {params: {fileId: 'a'}})
    let received = 0
    for await (const chunk of stream) {
      if (received === 0) vi.advanceTimersByTime(120)
      received += (chunk as Buffer).length
    }
    expect(received).toBe(1_000_000)
  })

  test('a refusal is an error before any content', async () => {
    const client = await clientsOf((_, response) => {
      response.writeHead(403)
      response.end('{"error":{"errors":[{"reason":"fileNotDownloadable"}],"message":"No"}}')
    })
    const download = client().download('files.get', {params: {fileId: 'a'}})
    await expect(download).rejects.toMatchObject({status: 403, reason: 'fileNotDownloadable'})
  })

  test('the source is informed when the reader stops', async () => {
    const closed = new Promise<void>(resolve => {
      void clientsOf((_, response) => {
        response.on('close', resolve)
        response.write(Buffer.alloc(5_000_000))
      }).then(async client => {
        const {stream} = await client().download('files.get', {params: {fileId: 'a'}})
        for await (const chunk of stream) {
          expect(chunk.length).toBeGreaterThan(0)
          break
        }
      })
    })
    await closed
  })
})

test('a service that never responds times out', async () => {
  stopTimers()
  const client = await clientsOf(() => undefined)
  const call = client(50).call('about.get', {params: {}})
  await expect(passTime(call)).rejects.toRead()
})

test('a request canceled before it starts is not sent', async () => {
  let requests = 0
  const client = await clientsOf((_, response) => {
    requests++
    response.end('{}')
  })
  const send = createTransport()
  const stop = new AbortController()
  const call = send({
    method: 'GET',
    url: client().prepare('about.get', {params: {}}).url,
    headers: {},
    timeout: 5000,
    decompress: false,
    signal: stop.signal,
  })
  stop.abort(new Error('given up'))
  await expect(call).rejects.toThrow('given up')
  expect(requests).toBe(0)
})
