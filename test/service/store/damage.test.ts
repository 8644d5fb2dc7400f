import {readdirSync, rmSync, statSync, truncateSync, writeFileSync} from 'node:fs'
import {request} from 'node:http'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {CHUNK_UNIT, CONTENT_DAMAGED} from '#lib/api/wire.js'
import {SMALL} from '#lib/service/store/content/small.js'
import {startTestService, type TestService} from '../harness.js'

/** Content files that do not match the database. */

const SIZE = 2 * SMALL
const CONTENT = 'x'.repeat(SIZE)

let service: TestService
let log: Error[]
beforeEach(async () => {
  log = []
  service = await startTestService({log: error => log.push(error as Error)})
})
afterEach(() => service.close())

const files = () => readdirSync(join(service.directory, 'content'))

/** The path of the only content file. */
function onlyContent(): string {
  const [name, ...others] = files()
  expect(others).toEqual([])
  return join(service.directory, 'content', name!)
}

async function upload(body: string | Buffer, query: Record<string, string> = {}, type?: string) {
  const answer = await service.json('POST', '/upload/drive/v2/files', {
    body,
    query: {uploadType: 'media', ...query},
    headers: {'content-type': type ?? 'application/octet-stream'},
  })
  expect(answer.status).toBe(200)
  return answer.body as {id: string; headRevisionId: string}
}

const damages: Array<[string, (path: string) => void, RegExp]> = [
  ['gone', path => rmSync(path), /is missing/],
  ['shorter', path => truncateSync(path, 10), /has 10 bytes instead of/],
  ['empty', path => truncateSync(path, 0), /has 0 bytes instead of/],
]

function expectRefusal(answer: {status: number; body: any}, path: string, words: RegExp) {
  expect(answer.status).toBe(500)
  expect(answer.body.error.errors[0].reason).toBe(CONTENT_DAMAGED)
  expect(JSON.stringify(answer.body)).not.toContain(path)
  expect(log.map(({message}) => message)).toEqual([expect.stringMatching(words)])
  expect(log[0]!.message).toContain(path)
}

describe.each(damages)('content that is %s', (_, damage, words) => {
  test.each([
    ['whole', {}],
    ['in part', {range: 'bytes=0-4'}],
    ['from its end', {range: 'bytes=-5'}],
  ])('is rejected at once when it is read %s', async (_, headers) => {
    const {id} = await upload(CONTENT)
    const path = onlyContent()
    damage(path)
    const answer = await service.json('GET', `files/${id}`, {query: {alt: 'media'}, headers})
    expectRefusal(answer, path, words)
    const head = await service.send('HEAD', `files/${id}`, {query: {alt: 'media'}})
    expect(head.status).toBe(500)
  })

  test('is rejected as an older revision, and the newest is not', async () => {
    const {id, headRevisionId} = await upload(CONTENT)
    const path = onlyContent()
    await service.json('PUT', `/upload/drive/v2/files/${id}`, {body: 'y'.repeat(SIZE)})
    damage(path)
    const query = {alt: 'media', revisionId: headRevisionId}
    expectRefusal(await service.json('GET', `files/${id}`, {query}), path, words)
    const newest = await service.send('GET', `files/${id}`, {query: {alt: 'media'}})
    expect(await newest.text()).toBe('y'.repeat(SIZE))
  })

  test('is rejected if an export needs it', async () => {
    const {id} = await upload(CONTENT, {convert: 'true'}, 'text/plain')
    const path = onlyContent()
    damage(path)
    const exported = await service.json('GET', `files/${id}/export`, {
      query: {mimeType: 'text/plain'},
    })
    expectRefusal(exported, path, words)
  })

  test('is rejected if a conversion needs it', async () => {
    const {id} = await upload(CONTENT, {}, 'text/plain')
    const path = onlyContent()
    damage(path)
    const copied = await service.json('POST', `files/${id}/copy`, {query: {convert: 'true'}})
    expectRefusal(copied, path, words)
  })

  test('is rejected if it would become the newest revision, and can be replaced or deleted', async () => {
    const {id} = await upload(CONTENT, {}, 'text/plain')
    const path = onlyContent()
    const update = await service.json('PUT', `/upload/drive/v2/files/${id}`, {body: 'small'})
    damage(path)
    const {headRevisionId} = update.body
    const refused = await service.json('DELETE', `files/${id}/revisions/${headRevisionId}`)
    expectRefusal(refused, path, words)
    const kept = await service.send('GET', `files/${id}`, {query: {alt: 'media'}})
    expect(await kept.text()).toBe('small')
    expect((await service.json('DELETE', `files/${id}`)).status).toBe(204)
  })
})

test('damaged content in the database is rejected, too', async () => {
  const {id} = await upload('small')
  service.store.run("UPDATE blobs SET bytes = x'00'")
  const answer = await service.json('GET', `files/${id}`, {query: {alt: 'media'}})
  expectRefusal(answer, join(service.directory, 'drv.db'), /has 1 bytes instead of 5/)
  service.store.run('UPDATE blobs SET bytes = NULL')
  log = []
  const none = await service.json('GET', `files/${id}`, {query: {alt: 'media'}})
  expectRefusal(none, join(service.directory, 'drv.db'), /is missing/)
})

test('of longer content, the bytes in the database are returned', async () => {
  const {id} = await upload(CONTENT)
  writeFileSync(onlyContent(), 'more', {flag: 'a'})
  const got = await service.send('GET', `files/${id}`, {query: {alt: 'media'}})
  expect(await got.text()).toBe(CONTENT)
  expect(log).toEqual([])
})

test.each(['media', 'resumable'])(
  'content (%s) that another process has just removed is not damaged',
  async uploadType => {
    const started = await service.json('POST', '/upload/drive/v2/files', {
      query: {uploadType},
      ...(uploadType === 'media' && {body: CONTENT}),
    })
    const session = started.headers.get('location')
    const {id} = session ? (await service.json('PUT', session, {body: CONTENT})).body : started.body
    const path = onlyContent()
    // Between reading the row and opening the file.
    const read = service.store.content.read
    service.store.content.read = (...args) => {
      rmSync(path)
      service.store.run('DELETE FROM files WHERE id = :id', {id})
      service.store.run('DELETE FROM blobs')
      return read(...args)
    }
    const answer = await service.json('GET', `files/${id}`, {query: {alt: 'media'}})
    expect(answer.status).toBe(503)
    expect(log).toEqual([])
  },
)

test('a file that is truncated while it is read ends the connection', async () => {
  const size = 64 * 1024 * 1024
  const {id} = await upload(Buffer.alloc(size, 'x'))
  const path = onlyContent()
  const outcome = await new Promise<{status?: number; bytes: number; isWhole: boolean}>(settle => {
    const url = `${service.url}/drive/v2/files/${id}?alt=media`
    const asked = request(url, {headers: {authorization: `Bearer ${service.token()}`}}, answer => {
      let bytes = 0
      answer.once('data', () => truncateSync(path, 1024 * 1024))
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('error', () => undefined)
      answer.on('close', () => settle({status: answer.statusCode, bytes, isWhole: answer.complete}))
    })
    asked.end()
  })
  expect(outcome).toMatchObject({status: 200, isWhole: false})
  expect(outcome.bytes).toBeLessThan(size)
  await expect.poll(() => log.map(({message}) => message)).toEqual([expect.stringContaining(path)])
})

describe('an upload whose stored bytes are', () => {
  const total = 2 * CHUNK_UNIT

  async function begin() {
    const started = await service.send('POST', '/upload/drive/v2/files', {
      query: {uploadType: 'resumable'},
    })
    const {pathname, search} = new URL(started.headers.get('location')!)
    const put = (headers: Record<string, string>, body?: Buffer) =>
      service.json('PUT', pathname + search, {headers, ...(body && {body})})
    const first = await put(
      {'content-range': `bytes 0-${CHUNK_UNIT - 1}/${total}`},
      Buffer.alloc(CHUNK_UNIT, 'x'),
    )
    expect(first.status).toBe(308)
    return put
  }

  test.each(damages)('%s has to start again', async (_, damage, words) => {
    const put = await begin()
    const path = onlyContent()
    damage(path)
    const answer = await put(
      {'content-range': `bytes ${CHUNK_UNIT}-${total - 1}/${total}`},
      Buffer.alloc(CHUNK_UNIT, 'y'),
    )
    expect(answer.status).toBe(404)
    expect(log.map(({message}) => message)).toEqual([expect.stringMatching(words)])
    expect(log[0]!.message).toContain(path)
    expect(files()).toEqual([])
  })

  test('more than reported ends with the reported bytes', async () => {
    const started = await service.send('POST', '/upload/drive/v2/files', {
      query: {uploadType: 'resumable'},
    })
    const {pathname, search} = new URL(started.headers.get('location')!)
    const put = (headers: Record<string, string>, body?: Buffer) =>
      service.json('PUT', pathname + search, {headers, ...(body && {body})})
    await put({'content-range': `bytes 0-${CHUNK_UNIT - 1}/*`}, Buffer.alloc(CHUNK_UNIT, 'x'))
    const path = onlyContent()
    // The state after a process was killed before it could save its progress.
    writeFileSync(path, 'more', {flag: 'a'})
    const done = await put({'content-range': `bytes */${CHUNK_UNIT}`})
    expect(done.status).toBe(200)
    const got = await service.send('GET', `files/${done.body.id}`, {query: {alt: 'media'}})
    expect(await got.text()).toBe('x'.repeat(CHUNK_UNIT))
    expect(statSync(onlyContent()).size).toBe(CHUNK_UNIT)
  })
})
