import {createHash} from 'node:crypto'
import {readdirSync, statSync} from 'node:fs'
import {connect} from 'node:net'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {CHUNK_UNIT} from '#lib/api/wire.js'
import {findToken, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {suspendUser, userByLogin} from '#lib/service/store/users.js'
import {type RequestOptions, startTestService, type TestService} from '../harness.js'

let service: TestService
beforeAll(async () => {
  // Some tests send fewer bytes than announced and read to the end of the connection.
  service = await startTestService({connections: {drainTime: 50}})
})
afterAll(() => service.close())

const md5 = (bytes: Buffer | string) => createHash('md5').update(bytes).digest('hex')
const bytesOf = (count: number) => Buffer.alloc(count, 'The quick brown fox. ')
const contentFiles = () => readdirSync(join(service.directory, 'content')).sort()

async function download(id: string): Promise<Buffer> {
  const response = await service.send('GET', `files/${id}`, {query: {alt: 'media'}})
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

describe('uploadType=media', () => {
  test('the body is the content, its type the media type', async () => {
    const made = await service.json('POST', '/upload/drive/v2/files', {
      query: {uploadType: 'media'},
      headers: {'content-type': 'text/plain; charset=utf-8'},
      body: 'Hello',
    })
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({
      mimeType: 'text/plain',
      fileSize: '5',
      md5Checksum: md5('Hello'),
    })
    expect((await download(made.body.id)).toString()).toBe('Hello')
  })

  test('PUT and PATCH upload new content, and fields select the response', async () => {
    const {body} = await service.json('POST', 'files', {body: {title: 'notes'}})
    for (const method of ['PUT', 'PATCH']) {
      const answer = await service.json(method, `/upload/drive/v2/files/${body.id}`, {
        query: {uploadType: 'media', fields: 'id,fileSize'},
        headers: {'content-type': 'text/plain'},
        body: method,
      })
      expect(answer.body).toEqual({id: body.id, fileSize: String(method.length)})
      expect((await download(body.id)).toString()).toBe(method)
    }
  })

  test('a body of unknown length arrives complete', async () => {
    const big = bytesOf(3_000_000)
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < big.length; at += 100_000) {
          controller.enqueue(new Uint8Array(big.subarray(at, at + 100_000)))
        }
        controller.close()
      },
    })
    const {body} = await service.json('POST', '/upload/drive/v2/files', {body: stream})
    expect(body).toMatchObject({fileSize: '3000000', md5Checksum: md5(big)})
    expect((await download(body.id)).equals(big)).toBe(true)
  })

  test.each([
    ['too large', 413, 'uploadTooLarge', {headers: {'content-length': '6000000000000'}}],
    ['packed', 415, 'badRequest', {headers: {'content-encoding': 'gzip'}, body: 'x'}],
    ['an unknown form', 400, 'invalidParameter', {query: {uploadType: 'carrier-pigeon'}}],
    ['download', 400, 'invalidParameter', {query: {alt: 'media'}}],
  ] as const)(
    '%s is rejected with %i %s and leaves nothing',
    async (_, status, reason, options) => {
      const before = contentFiles()
      const answer =
        'headers' in options && 'content-length' in options.headers
          ? await rawAnswer(['Content-Length: 6000000000000'])
          : await service.json('POST', '/upload/drive/v2/files', options as RequestOptions)
      expect(answer.status).toBe(status)
      expect(answer.body.error.errors[0].reason).toBe(reason)
      expect(contentFiles()).toEqual(before)
    },
  )

  test('content for a missing file leaves nothing', async () => {
    const before = contentFiles()
    const answer = await service.json('PUT', '/upload/drive/v2/files/nothing', {body: 'x'})
    expect(answer.status).toBe(404)
    expect(contentFiles()).toEqual(before)
  })

  test('a connection that breaks off leaves nothing', async () => {
    const before = contentFiles()
    const socket = rawRequest(['Content-Length: 100000'], 'only this '.repeat(2000))
    await waitFor(() => contentFiles().length > before.length)
    socket.destroy()
    await waitFor(() => contentFiles().length === before.length)
    expect(contentFiles()).toEqual(before)
  })

  test('content at the wrong path is rejected', async () => {
    const {status, body} = await service.json('POST', 'files', {query: {uploadType: 'media'}})
    expect(status).toBe(400)
    expect(body.error.errors[0].location).toBe('uploadType')
  })
})

describe('uploadType=multipart', () => {
  const send = (body: string | Buffer, type = 'multipart/related; boundary="b"') =>
    service.json('POST', '/upload/drive/v2/files', {
      query: {uploadType: 'multipart'},
      headers: {'content-type': type},
      body,
    })
  const envelope = (content: string, headers = '', eol = '\r\n') =>
    [
      '--b',
      'Content-Type: application/json; charset=UTF-8',
      '',
      '{"title": "two parts"}',
      '--b',
      `Content-Type: image/png${headers && eol + headers}`,
      '',
      content,
      '--b--',
      '',
    ].join(eol)

  test.each([
    ['CRLF', envelope('PNG\r\n--not a boundary\r\n'), 'PNG\r\n--not a boundary\r\n'],
    ['LF', envelope('PNG\r', '', '\n'), 'PNG\r'],
    ['base64', envelope('SGVs\r\nbG8=', 'Content-Transfer-Encoding: base64'), 'Hello'],
    ['no content', envelope(''), ''],
    ['no line end at the end', envelope('x').trimEnd(), 'x'],
  ])('metadata and content: %s', async (_, body, content) => {
    const answer = await send(body)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({title: 'two parts', mimeType: 'image/png'})
    expect((await download(answer.body.id)).toString()).toBe(content)
  })

  test('large content with every byte value', async () => {
    const content = Buffer.alloc(2_000_000, Buffer.from(Array.from({length: 256}, (_, i) => i)))
    const [head, tail] = envelope('CONTENT').split('CONTENT')
    const answer = await send(Buffer.concat([Buffer.from(head!), content, Buffer.from(tail!)]))
    expect(answer.body.md5Checksum).toBe(md5(content))
  })

  test('an upload without uploadType is recognized by its type', async () => {
    const answer = await service.json('POST', '/upload/drive/v2/files', {
      headers: {'content-type': 'multipart/related; boundary=b'},
      body: envelope('x'),
    })
    expect(answer.body.title).toBe('two parts')
  })

  test.each([
    ['one part', '--b\r\nContent-Type: application/json\r\n\r\n{}\r\n--b--\r\n'],
    ['three parts', envelope('x').replace('--b--', '--b\r\n\r\nmore\r\n--b--')],
    ['no end', envelope('x').replace('--b--', '')],
    ['no boundary in it', 'nothing'],
    ['metadata that is not JSON', envelope('x').replace('{"title"', '{title')],
    ['metadata of another type', envelope('x').replace('application/json', 'text/xml')],
    ['content that is not base64', envelope('?!', 'Content-Transfer-Encoding: base64')],
    ['an unknown encoding', envelope('x', 'Content-Transfer-Encoding: quoted-printable')],
  ])('%s is rejected and leaves nothing', async (_, body) => {
    const before = contentFiles()
    const answer = await send(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.message).not.toBe('')
    expect(contentFiles()).toEqual(before)
  })

  test('a type without a boundary is rejected', async () => {
    expect((await send('x', 'multipart/related')).status).toBe(400)
    expect((await send('x', 'text/plain')).status).toBe(400)
  })
})

describe('uploadType=resumable', () => {
  const start = (options: RequestOptions & {path?: string; method?: string} = {}) =>
    service.send(options.method ?? 'POST', options.path ?? '/upload/drive/v2/files', {
      ...options,
      query: {uploadType: 'resumable', ...options.query},
    })
  const session = async (options: Parameters<typeof start>[0] = {}): Promise<string> => {
    const response = await start(options)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
    const location = response.headers.get('location')!
    expect(new URL(location).searchParams.get('upload_id')).toBe(
      response.headers.get('x-guploader-uploadid'),
    )
    const {pathname, search} = new URL(location)
    return pathname + search
  }
  const put = (uri: string, range?: string, body?: string | Buffer, more: RequestOptions = {}) =>
    service.json('PUT', uri, {
      token: null,
      body: body ?? '',
      ...more,
      headers: {...(range && {'content-range': range}), ...more.headers},
    })
  const U = CHUNK_UNIT

  test('complete content in one request, metadata from the start', async () => {
    const uri = await session({
      body: {title: 'whole.txt'},
      headers: {'x-upload-content-type': 'text/plain', 'x-upload-content-length': '5'},
      query: {fields: 'title,mimeType,fileSize'},
    })
    const done = await put(uri, undefined, 'Hello')
    expect(done.status).toBe(200)
    expect(done.body).toEqual({title: 'whole.txt', mimeType: 'text/plain', fileSize: '5'})
    // A client that lost the response can repeat the request.
    expect((await put(uri, 'bytes */5')).body).toEqual(done.body)
    expect((await put(uri, undefined, 'Hello')).body).toEqual(done.body)
  })

  test('chunks, with queries between them', async () => {
    const content = bytesOf(2 * U + 100)
    const uri = await session({headers: {'x-upload-content-length': String(content.length)}})
    const total = content.length
    const empty = await put(uri, `bytes */${total}`)
    expect([empty.status, empty.headers.get('range')]).toEqual([308, null])
    const first = await put(uri, `bytes 0-${U - 1}/${total}`, content.subarray(0, U))
    expect([first.status, first.headers.get('range')]).toEqual([308, `bytes=0-${U - 1}`])
    expect(first.headers.get('location')).toBeNull()
    const asked = await put(uri, 'bytes */*')
    expect([asked.status, asked.headers.get('range')]).toEqual([308, `bytes=0-${U - 1}`])
    // It overlaps with stored bytes, which are skipped.
    const second = await put(
      uri,
      `bytes ${U - 10}-${2 * U - 1}/${total}`,
      content.subarray(U - 10, 2 * U),
    )
    expect(second.headers.get('range')).toBe(`bytes=0-${2 * U - 1}`)
    const last = await put(uri, `bytes ${2 * U}-${total - 1}/${total}`, content.subarray(2 * U))
    expect(last.status).toBe(200)
    expect(last.body.md5Checksum).toBe(md5(content))
    expect((await download(last.body.id)).equals(content)).toBe(true)
  })

  test('of an odd chunk the aligned part is stored', async () => {
    const uri = await session()
    const odd = await put(uri, `bytes 0-${U + 9}/*`, bytesOf(U + 10))
    expect([odd.status, odd.headers.get('range')]).toEqual([308, `bytes=0-${U - 1}`])
    const tiny = await put(await session(), 'bytes 0-9/100', bytesOf(10))
    expect([tiny.status, tiny.headers.get('range')]).toEqual([308, null])
  })

  test.each([
    ['the last chunk tells the total', `bytes ${U}-${U + 4}/${U + 5}`, 'Hello', U + 5],
    ['an empty request tells the total', `bytes */${U}`, '', U],
  ])('unknown size: %s', async (_, range, tail, size) => {
    const uri = await session()
    expect((await put(uri, `bytes 0-${U - 1}/*`, bytesOf(U))).status).toBe(308)
    const done = await put(uri, range, tail)
    expect(done.status).toBe(200)
    expect(done.body).toMatchObject({
      fileSize: String(size),
      md5Checksum: md5(Buffer.concat([bytesOf(U), Buffer.from(tail)])),
    })
  })

  test.each([
    ['no range', undefined],
    ['a query with the total 0', 'bytes */0'],
  ])('an empty file: %s', async (_, range) => {
    const done = await put(await session(), range)
    expect(done.status).toBe(200)
    expect(done.body).toMatchObject({fileSize: '0', md5Checksum: md5('')})
  })

  test.each([
    ['beyond what is stored', 'bytes 10-14/100', 'Hello', {}],
    ['fewer bytes than the range', 'bytes 0-9/100', 'Hello', {}],
    ['another total than before', 'bytes 0-4/5', 'Hello', {'x-upload-content-length': '6'}],
    ['another size than at the start', undefined, 'Hello', {'x-upload-content-length': '6'}],
    ['a range beyond the total', 'bytes 0-4/3', 'Hello', {}],
    ['a range that ends before it starts', 'bytes 5-4/9', 'Hello', {}],
    ['a range that is none', 'bites 0-4/5', 'Hello', {}],
    ['a query with a body', 'bytes */5', 'Hello', {}],
  ])('%s is 400, and the upload can continue', async (_, range, body, headers) => {
    const uri = await session({headers: headers as Record<string, string>})
    const answer = await put(uri, range, body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.errors[0].reason).toBe('badRequest')
    expect((await put(uri, 'bytes */*')).status).toBe(308)
  })

  test.each([
    ['an unknown folder', 404, {body: {parents: [{id: 'nowhere'}]}}],
    ['a body that is not JSON', 400, {body: '{', headers: {'content-type': 'application/json'}}],
    ['a length that is none', 400, {headers: {'x-upload-content-length': 'some'}}],
    ['a length beyond the limit', 413, {headers: {'x-upload-content-length': '6000000000000'}}],
    ['no token', 403, {token: null}],
  ])('%s is detected at the start (%i) and leaves nothing', async (_, status, options) => {
    const before = contentFiles()
    const response = await start(options as RequestOptions)
    expect(response.status).toBe(status)
    expect(response.headers.get('location')).toBeNull()
    expect(contentFiles()).toEqual(before)
  })

  test('nothing is visible before the last chunk', async () => {
    const titles = async () =>
      ((await service.json('GET', 'files', {query: {q: "title = 'hidden'"}})).body.items as [])
        .length
    const uri = await session({body: {title: 'hidden'}})
    await put(uri, `bytes 0-${U - 1}/*`, bytesOf(U))
    expect(await titles()).toBe(0)
    await put(uri, `bytes */${U}`)
    expect(await titles()).toBe(1)
  })

  test('an update keeps the file; the older path, POST and PATCH work, too', async () => {
    const {body} = await service.json('POST', 'files', {body: {title: 'old'}})
    for (const method of ['PUT', 'PATCH']) {
      const path = `/resumable/upload/drive/v2/files/${body.id}`
      const uri = await session({path, method, body: {title: method}})
      expect(uri).toContain('/resumable/upload/')
      const done = await service.json('POST', uri, {token: null, body: method})
      expect(done.body).toMatchObject({id: body.id, title: method})
    }
  })

  test('a canceled upload is gone', async () => {
    const before = contentFiles()
    const uri = await session()
    await put(uri, `bytes 0-${U - 1}/*`, bytesOf(U))
    expect((await service.send('DELETE', uri, {token: null})).status).toBe(499)
    expect((await put(uri, 'bytes */*')).status).toBe(404)
    expect(contentFiles()).toEqual(before)
  })

  test('308 can be requested as 200', async () => {
    const headers = {'x-guploader-no-308': 'yes'}
    const answer = await put(await session(), `bytes 0-${U - 1}/*`, bytesOf(U), {headers})
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-http-status-code-override')).toBe('308')
    expect(answer.headers.get('range')).toBe(`bytes=0-${U - 1}`)
  })

  test("an invalid token is rejected, another user's does not see the upload, the own one is accepted", async () => {
    const uri = await session()
    expect((await put(uri, 'bytes */*', '', {token: 'wrong'})).status).toBe(401)
    expect((await put(uri, 'bytes */*', '', {token: service.token('mallory')})).status).toBe(404)
    expect((await put(uri, 'bytes */*', '', {token: service.token()})).status).toBe(308)
  })

  test('a revoked token ends its uploads', async () => {
    const token = service.token('eve')
    const uri = await session({token})
    expect((await put(uri, 'bytes */*')).status).toBe(308)
    revokeToken(service.store, findToken(service.store, token, service.clock.now)!.id, 1)
    expect((await put(uri, 'bytes */*', '', {token})).status).toBe(401)
    expect((await put(uri, 'bytes */*')).status).toBe(404)
  })

  test('a suspended user can use the URL, but not the token', async () => {
    const {store, clock} = service
    const token = service.token('sam')
    const uri = await session({token})
    suspendUser(store, userByLogin(store, 'sam')!, true, clock.now)
    expect((await put(uri, 'bytes */*', '', {token})).status).toBe(403)
    expect((await put(uri, 'bytes 0-2/3', 'abc')).status).toBe(200)
  })

  test('an unknown upload is 404, a GET of one 405', async () => {
    const path = '/upload/drive/v2/files?uploadType=resumable&upload_id=none'
    expect((await put(path, 'bytes */*')).status).toBe(404)
    expect((await service.send('GET', path)).status).toBe(405)
  })

  test('it expires after a week', async () => {
    const other = await startTestService()
    try {
      const response = await other.send('POST', '/upload/drive/v2/files', {
        query: {uploadType: 'resumable'},
      })
      const {pathname, search} = new URL(response.headers.get('location')!)
      const ask = () =>
        other.send('PUT', pathname + search, {token: null, headers: {'content-range': 'bytes */*'}})
      other.clock.now += 7 * 24 * 3600 * 1000 - 1
      expect((await ask()).status).toBe(308)
      other.clock.now += 1
      expect((await ask()).status).toBe(404)
    } finally {
      await other.close()
    }
  })

  test('a broken connection keeps complete units, and the rest can follow', async () => {
    const content = bytesOf(4 * U + 50)
    const uri = await session({headers: {'x-upload-content-length': String(content.length)}})
    const socket = rawRequest(
      [`Content-Length: ${content.length}`],
      content.subarray(0, 3 * U + 5),
      'PUT',
      uri,
    )
    await waitFor(() => partial(uri) >= 3 * U)
    socket.destroy()
    let range: string | null = null
    await waitFor(async () => {
      range = (await put(uri, `bytes */${content.length}`)).headers.get('range')
      return range !== null
    })
    const next = Number(range!.split('-')[1]) + 1
    expect(next % U).toBe(0)
    const done = await put(
      uri,
      `bytes ${next}-${content.length - 1}/${content.length}`,
      content.subarray(next),
    )
    expect(done.body.md5Checksum).toBe(md5(content))
  })

  test('a new request takes precedence over a hanging connection', async () => {
    const content = bytesOf(U)
    const uri = await session()
    const hanging = rawRequest(
      [`Content-Length: ${content.length}`],
      content.subarray(0, 10),
      'PUT',
      uri,
    )
    await waitFor(() => partial(uri) >= 10)
    const done = await put(uri, undefined, content)
    expect(done.body.md5Checksum).toBe(md5(content))
    hanging.destroy()
  })

  test('it survives a restart of the service', async () => {
    const content = bytesOf(2 * U)
    const uri = await session({body: {title: 'long'}})
    await put(uri, `bytes 0-${U - 1}/*`, content.subarray(0, U))
    const second = await startTestService({data: service.directory})
    try {
      const done = await second.json('PUT', uri, {
        token: null,
        headers: {'content-range': `bytes ${U}-${2 * U - 1}/${2 * U}`},
        body: content.subarray(U),
      })
      expect(done.body).toMatchObject({title: 'long', md5Checksum: md5(content)})
    } finally {
      await second.close()
    }
  })

  /** The number of bytes in the file of an upload. */
  function partial(uri: string): number {
    const id = new URL(uri, service.url).searchParams.get('upload_id')!
    const row = service.store.get<{blob_id: string}>('SELECT blob_id FROM uploads WHERE id = :id', {
      id,
    })
    const name = `${row!.blob_id}.unfinished`
    return statSync(join(service.directory, 'content', name)).size
  }
})

/** Starts an upload on a raw connection and sends `bytes`, which may be fewer than announced. */
function rawRequest(
  headers: readonly string[],
  bytes: string | Buffer = '',
  method = 'POST',
  path = '/upload/drive/v2/files?uploadType=media',
) {
  const {port, host} = new URL(service.url)
  const socket = connect(Number(port), '127.0.0.1')
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...headers]
  if (method === 'POST') lines.push(`Authorization: Bearer ${service.token()}`)
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  socket.write(bytes)
  return socket
}

async function rawAnswer(headers: readonly string[]): Promise<{status: number; body: any}> {
  const socket = rawRequest([...headers, 'Connection: close'])
  let text = ''
  for await (const chunk of socket) text += chunk
  return {status: Number(text.slice(9, 12)), body: JSON.parse(text.slice(text.indexOf('\r\n\r\n')))}
}

/** Waits for an event on the other side of a connection. */
async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(condition, {interval: 5}).toBe(true)
}
