import {createHash} from 'node:crypto'
import {readdirSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {CHUNK_UNIT} from '#lib/api/wire.js'
import {findToken, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {type Answer, type RequestOptions, startTestService, type TestService} from '../harness.js'

/** The X-Goog-Upload protocol, as client libraries of several languages use it. */

let service: TestService
beforeAll(async () => {
  service = await startTestService({connections: {drainTime: 50}})
})
afterAll(() => service.close())

const FILES = '/upload/drive/v2/files'
const U = CHUNK_UNIT
const md5 = (bytes: Buffer | string) => createHash('md5').update(bytes).digest('hex')
const bytesOf = (count: number) => Buffer.alloc(count, 'The quick brown fox. ')
const contentFiles = () => readdirSync(join(service.directory, 'content')).sort()
const reason = ({body}: Answer) => body.error.errors[0].reason as string
const countOf = async (title: string) =>
  ((await service.json('GET', 'files', {query: {q: `title = '${title}'`}})).body.items as []).length

async function download(id: string): Promise<Buffer> {
  const response = await service.send('GET', `files/${id}`, {query: {alt: 'media'}})
  expect(response.status).toBe(200)
  return Buffer.from(await response.arrayBuffer())
}

/** The first request of a session. */
function start(
  options: RequestOptions & {path?: string; method?: string} = {},
  command = 'start',
): Promise<Answer> {
  const {path = FILES, method = 'POST', headers, ...rest} = options
  return service.json(method, path, {
    ...rest,
    headers: {
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': command,
      ...headers,
    },
  })
}

/** The URL of a new session. */
async function session(options: Parameters<typeof start>[0] = {}): Promise<string> {
  const {status, body, headers} = await start(options)
  expect([status, body]).toEqual([200, undefined])
  return headers.get('x-goog-upload-url')!
}

/** A request of a session, as clients send it: with POST, without a token. */
function send(
  uri: string,
  command: string,
  {body, headers, ...rest}: RequestOptions & {method?: string} = {},
): Promise<Answer> {
  const {method = 'POST', ...options} = rest
  return service.json(method, uri, {
    token: null,
    body: body ?? '',
    ...options,
    headers: {'x-goog-upload-command': command, ...headers},
  })
}

const upload = (uri: string, offset: number, body: string | Buffer, command = 'upload') =>
  send(uri, command, {body, headers: {'x-goog-upload-offset': String(offset)}})

/** The upload headers of a response. */
const stateOf = ({status, headers}: Answer) => [
  status,
  headers.get('x-goog-upload-status'),
  headers.get('x-goog-upload-size-received'),
]

describe('resumable', () => {
  test('the first response has the URL of the session, and the chunk size', async () => {
    const {status, body, headers} = await start({body: {title: 'begun'}})
    expect([status, body]).toEqual([200, undefined])
    expect(headers.get('x-goog-upload-status')).toBe('active')
    expect(headers.get('x-goog-upload-chunk-granularity')).toBe(String(U))
    const url = new URL(headers.get('x-goog-upload-url')!)
    expect(headers.get('x-goog-upload-control-url')).toBe(url.href)
    expect(url.origin + url.pathname).toBe(service.url + FILES)
    expect(url.searchParams.get('upload_protocol')).toBe('resumable')
    expect(url.searchParams.get('upload_id')).toBe(headers.get('x-guploader-uploadid'))
    expect(await countOf('begun')).toBe(0)
  })

  test('upload and finalize in one request', async () => {
    const uri = await session({
      body: {title: 'whole.txt'},
      headers: {
        'x-goog-upload-header-content-type': 'text/plain',
        'x-goog-upload-header-content-length': '5',
      },
      query: {fields: 'title,mimeType,fileSize'},
    })
    const done = await upload(uri, 0, 'Hello', 'upload, finalize')
    expect(stateOf(done)).toEqual([200, 'final', '5'])
    expect(done.body).toEqual({title: 'whole.txt', mimeType: 'text/plain', fileSize: '5'})
    // A client that lost the response queries or resends. There is still only one file.
    const asked = await send(uri, 'query')
    expect(stateOf(asked)).toEqual([200, 'final', '5'])
    expect(asked.body).toEqual(done.body)
    expect((await upload(uri, 0, 'Hello', 'upload, finalize')).body).toEqual(done.body)
    expect((await send(uri, 'finalize')).body).toEqual(done.body)
    expect(await countOf('whole.txt')).toBe(1)
  })

  test.each([
    ['upload, finalize', 'upload,finalize'],
    ['UPLOAD,  Finalize', 'Start'],
  ])('the case of commands and blanks between them are ignored: %s', async command => {
    const {headers} = await start({}, 'Start')
    const done = await upload(headers.get('x-goog-upload-url')!, 0, 'x', command)
    expect(stateOf(done)).toEqual([200, 'final', '1'])
  })

  test('chunks, with queries between them, then a separate finalize', async () => {
    const content = bytesOf(2 * U)
    const uri = await session({body: {title: 'chunks'}})
    expect(stateOf(await send(uri, 'query'))).toEqual([200, 'active', '0'])
    const first = await upload(uri, 0, content.subarray(0, U))
    expect([...stateOf(first), first.body]).toEqual([200, 'active', String(U), undefined])
    const asked = await send(uri, 'query', {method: 'PUT'})
    expect(stateOf(asked)).toEqual([200, 'active', String(U)])
    expect(asked.headers.get('x-goog-upload-chunk-granularity')).toBe(String(U))
    // A chunk is sent again after its response was lost. Stored bytes are skipped.
    expect(stateOf(await upload(uri, 0, content.subarray(0, U)))).toEqual([
      200,
      'active',
      String(U),
    ])
    expect(stateOf(await upload(uri, U, content.subarray(U)))[2]).toBe(String(2 * U))
    // All bytes are stored, but the upload is not finalized.
    expect(stateOf(await send(uri, 'query'))).toEqual([200, 'active', String(2 * U)])
    expect(await countOf('chunks')).toBe(0)
    const done = await send(uri, 'finalize')
    expect(stateOf(done)).toEqual([200, 'final', String(2 * U)])
    expect(done.body).toMatchObject({title: 'chunks', md5Checksum: md5(content)})
    expect((await download(done.body.id)).equals(content)).toBe(true)
  })

  test('an announced total does not finalize the upload', async () => {
    const uri = await session({headers: {'x-goog-upload-header-content-length': '5'}})
    expect(stateOf(await upload(uri, 0, 'Hello'))).toEqual([200, 'active', '5'])
    expect(stateOf(await send(uri, 'query'))).toEqual([200, 'active', '5'])
    expect((await send(uri, 'finalize')).body).toMatchObject({fileSize: '5'})
  })

  test.each([
    ['finalize', {}],
    ['upload, finalize', {'x-goog-upload-offset': '0'}],
  ])('an empty file: %s', async (command, headers: Record<string, string>) => {
    const done = await send(await session(), command, {headers})
    expect(stateOf(done)).toEqual([200, 'final', '0'])
    expect(done.body).toMatchObject({fileSize: '0', md5Checksum: md5('')})
  })

  test('content of unknown length', async () => {
    const stream = new Blob([bytesOf(U + 9)]).stream()
    const done = await send(await session(), 'upload, finalize', {
      body: stream,
      headers: {'x-goog-upload-offset': '0'},
    })
    expect(done.body).toMatchObject({fileSize: String(U + 9), md5Checksum: md5(bytesOf(U + 9))})
  })

  test.each([['X-Goog-Upload-Protocol', 'x-goog-upload-protocol'] as const, ['none', ''] as const])(
    'everything in the first request, with the protocol named by %s',
    async (_, header) => {
      const done = await service.json('POST', FILES, {
        headers: {
          ...(header && {[header]: 'resumable'}),
          'x-goog-upload-command': 'start, upload, finalize',
          'x-goog-upload-header-content-length': '5',
          'content-type': 'text/x-mine',
        },
        body: 'Hello',
      })
      expect(stateOf(done)).toEqual([200, 'final', '5'])
      expect(done.body).toMatchObject({mimeType: 'text/x-mine', fileSize: '5'})
    },
  )

  test('the first bytes with start, the rest later', async () => {
    const content = bytesOf(U + 3)
    const begun = await start({body: content.subarray(0, U)}, 'start, upload')
    expect(stateOf(begun)).toEqual([200, 'active', String(U)])
    const uri = begun.headers.get('x-goog-upload-url')!
    const done = await upload(uri, U, content.subarray(U), 'upload, finalize')
    expect(done.body).toMatchObject({md5Checksum: md5(content)})
  })

  test('older names of the headers', async () => {
    const uri = await session({
      headers: {'x-goog-upload-content-type': 'image/x-a', 'x-goog-upload-raw-size': '3'},
    })
    expect((await upload(uri, 0, 'Hello', 'upload, finalize')).status).toBe(400)
    const done = await upload(uri, 0, 'abc', 'upload, finalize')
    expect(done.body).toMatchObject({mimeType: 'image/x-a', fileSize: '3'})
  })

  test('an update keeps the file', async () => {
    const {body} = await service.json('POST', 'files', {body: {title: 'old'}})
    for (const method of ['PUT', 'PATCH']) {
      const uri = await session({path: `${FILES}/${body.id}`, method, body: {title: method}})
      const done = await upload(uri, 0, method, 'upload, finalize')
      expect(done.body).toMatchObject({id: body.id, title: method, fileSize: `${method.length}`})
    }
  })

  test('the header takes precedence over the query', async () => {
    for (const uploadType of ['media', 'multipart', 'resumable']) {
      const uri = await session({query: {uploadType}, body: {title: uploadType}})
      const done = await upload(uri, 0, 'x', 'upload, finalize')
      expect(done.body).toMatchObject({title: uploadType, fileSize: '1'})
    }
  })

  test.each([
    ['beyond what is stored', 'upload', 'Hello', {'x-goog-upload-offset': '10'}],
    ['no offset', 'upload', 'Hello', {}],
    ['an offset that is none', 'upload', 'Hello', {'x-goog-upload-offset': 'some'}],
    ['a chunk that is no whole unit', 'upload', 'Hello', {'x-goog-upload-offset': '0'}],
    ['an end before all is there', 'finalize', '', {}],
    ['fewer bytes at the end', 'upload, finalize', 'Hello', {'x-goog-upload-offset': '0'}],
    ['an end with a body', 'finalize', 'Hello', {}],
    ['a query with a body', 'query', 'Hello', {}],
    ['a second start', 'start', '', {}],
    ['a command that is none', 'dance', '', {}],
    ['commands that do not go together', 'query, upload', 'Hello', {'x-goog-upload-offset': '0'}],
    ['no command', '', 'Hello', {'x-goog-upload-offset': '0'}],
  ])('%s is 400, and the upload can continue', async (_, command, body, headers) => {
    const uri = await session({headers: {'x-goog-upload-header-content-length': String(U)}})
    const answer = await send(uri, command, {body, headers: headers as Record<string, string>})
    expect(stateOf(answer)).toEqual([400, 'active', '0'])
    expect(reason(answer)).toBe('badRequest')
    expect(answer.body.error.errors[0].locationType).toBe('header')
    const done = await upload(uri, 0, bytesOf(U), 'upload, finalize')
    expect(stateOf(done)).toEqual([200, 'final', String(U)])
  })

  test.each([
    ['an unknown folder', 404, {body: {parents: [{id: 'nowhere'}]}}],
    ['a body that is not JSON', 400, {body: '{', headers: {'content-type': 'application/json'}}],
    ['a length that is none', 400, {headers: {'x-goog-upload-header-content-length': 'some'}}],
    ['a length beyond the limit', 413, {headers: {'x-goog-upload-raw-size': '6000000000000'}}],
    ['an unknown protocol', 400, {headers: {'x-goog-upload-protocol': 'carrier-pigeon'}}],
    ['a command of a session', 400, {headers: {'x-goog-upload-command': 'upload, finalize'}}],
    ['no command', 400, {headers: {'x-goog-upload-command': ''}}],
    ['no token', 403, {token: null}],
    ['a path without content', 400, {path: '/drive/v2/files', body: {title: 'plain'}}],
  ])('%s is detected at the start (%i) and leaves nothing', async (_, status, options) => {
    const before = contentFiles()
    const answer = await start(options as RequestOptions)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-goog-upload-url')).toBeNull()
    expect(contentFiles()).toEqual(before)
    expect(await countOf('plain')).toBe(0)
  })

  test('a first request with invalid content leaves nothing', async () => {
    const before = contentFiles()
    const headers = {'x-goog-upload-header-content-length': '9'}
    const answer = await start({body: 'Hello', headers}, 'start, upload, finalize')
    expect([answer.status, reason(answer)]).toEqual([400, 'badRequest'])
    // There is no upload to continue.
    expect(stateOf(answer)).toEqual([400, null, null])
    expect(contentFiles()).toEqual(before)
  })

  test('a canceled upload is gone', async () => {
    const before = contentFiles()
    const uri = await session()
    await upload(uri, 0, bytesOf(U))
    const canceled = await send(uri, 'cancel')
    expect([...stateOf(canceled), canceled.body]).toEqual([200, 'cancelled', null, undefined])
    for (const command of ['query', 'upload', 'finalize', 'cancel']) {
      expect(stateOf(await upload(uri, 0, '', command))).toEqual([404, 'final', null])
    }
    expect(contentFiles()).toEqual(before)
  })

  test('a finalized upload cannot be canceled', async () => {
    const uri = await session()
    const {body} = await upload(uri, 0, 'x', 'upload, finalize')
    expect(stateOf(await send(uri, 'cancel'))).toEqual([400, 'final', '1'])
    expect((await service.send('GET', `files/${body.id}`)).status).toBe(200)
  })

  test('an operation refused at the end ends the upload', async () => {
    const folder = (
      await service.json('POST', 'files', {
        body: {title: 'f', mimeType: 'application/vnd.google-apps.folder'},
      })
    ).body
    const uri = await session({body: {title: 'late', parents: [{id: folder.id}]}})
    await service.send('DELETE', `files/${folder.id}`)
    expect(stateOf(await upload(uri, 0, 'x', 'upload, finalize'))).toEqual([404, 'final', null])
    expect(await countOf('late')).toBe(0)
  })

  test("an invalid token is rejected, another user's does not see the upload, a revoked one ends it", async () => {
    const token = service.token('eve')
    const uri = await session({token})
    expect((await send(uri, 'query', {token: 'wrong'})).status).toBe(401)
    expect((await send(uri, 'query', {token: service.token('mallory')})).status).toBe(404)
    expect(stateOf(await send(uri, 'query', {token}))).toEqual([200, 'active', '0'])
    revokeToken(service.store, findToken(service.store, token, service.clock.now)!.id, 1)
    expect((await send(uri, 'query')).status).toBe(404)
  })

  test('a finalize that overtakes an upload counts the stored bytes', async () => {
    const content = bytesOf(3 * U)
    const before = contentFiles()
    const uri = await session()
    let breakOff!: () => void
    const broken = new Promise<void>(resolve => (breakOff = resolve))
    const slow = new ReadableStream({
      async start(controller) {
        controller.enqueue(new Uint8Array(content.subarray(0, 2 * U)))
        await broken
        controller.error(new Error('given up'))
      },
    })
    const late = upload(uri, 0, slow as unknown as Buffer).catch(() => undefined)
    const stored = () =>
      contentFiles()
        .filter(name => !before.includes(name))
        .map(name => statSync(join(service.directory, 'content', name)).size)
    await expect.poll(() => Math.max(0, ...stored())).toBeGreaterThanOrEqual(U)
    const done = await send(uri, 'finalize')
    breakOff()
    await late
    const size = Number(done.body.fileSize)
    expect([size >= U, size % U]).toEqual([true, 0])
    expect(done.body).toMatchObject({md5Checksum: md5(content.subarray(0, size))})
    expect((await download(done.body.id)).length).toBe(size)
  })

  test('one session accepts both protocols', async () => {
    const content = bytesOf(U + 5)
    const uri = await session({body: {title: 'both'}})
    await upload(uri, 0, content.subarray(0, U))
    const asked = await service.send('PUT', uri, {headers: {'content-range': 'bytes */*'}})
    expect([asked.status, asked.headers.get('range')]).toEqual([308, `bytes=0-${U - 1}`])
    const done = await upload(uri, U, content.subarray(U), 'upload, finalize')
    expect(done.body).toMatchObject({md5Checksum: md5(content)})
  })
})

describe('raw and multipart', () => {
  test.each([
    ['the header', {'x-goog-upload-header-content-type': 'image/x-a', 'content-type': 'text/x-b'}],
    ['the body', {'content-type': 'image/x-a'}],
  ])('raw: the body is the content, and its type that of %s', async (_, headers) => {
    const done = await service.json('POST', FILES, {
      headers: {'x-goog-upload-protocol': 'raw', ...headers} as Record<string, string>,
      body: '{"title": "no title"}',
    })
    expect([done.status, done.headers.get('x-goog-upload-status')]).toEqual([200, 'final'])
    expect(done.body).toMatchObject({title: 'Untitled', mimeType: 'image/x-a', fileSize: '21'})
  })

  test('raw content is never interpreted', async () => {
    const done = await service.json('POST', FILES, {
      headers: {'x-goog-upload-protocol': 'Raw', 'content-type': 'multipart/related; boundary=b'},
      body: 'no parts',
    })
    expect(done.body).toMatchObject({fileSize: '8'})
  })

  test('multipart: metadata, then content', async () => {
    const done = await service.json('POST', FILES, {
      headers: {
        'x-goog-upload-protocol': 'multipart',
        'content-type': 'multipart/related; boundary=b',
      },
      body: [
        ...['--b', 'Content-Type: application/json', '', '{"title": "two parts"}'],
        ...['--b', 'Content-Type: text/x-mine', '', 'content', '--b--', ''],
      ].join('\r\n'),
    })
    expect([done.status, done.headers.get('x-goog-upload-status')]).toEqual([200, 'final'])
    expect(done.body).toMatchObject({title: 'two parts', mimeType: 'text/x-mine', fileSize: '7'})
  })

  test('an upload without these headers gets none in its response', async () => {
    const {headers} = await service.json('POST', FILES, {body: 'x'})
    expect([...headers.keys()].filter(name => name.startsWith('x-goog-upload'))).toEqual([])
  })
})
