import {createHash, randomBytes} from 'node:crypto'
import {mkdtempSync, readdirSync, rmSync, utimesSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {openContentStore} from '#lib/service/store/content/content.js'
import {DamagedContent} from '#lib/service/store/content/damage.js'
import {createPieceWriter} from '#lib/service/store/content/pieces.js'
import {SMALL, withSmallContent} from '#lib/service/store/content/small.js'
import {forgetBlobs, registerBlob} from '#lib/service/store/files/revisions.js'
import {openStore} from '#lib/service/store/index.js'
import {startTestService} from '../harness.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drv-'))
})
afterEach(() => rmSync(directory, {recursive: true, force: true}))

const DAY = 24 * 3600 * 1000
const hex = (name: string, bytes: Buffer) => createHash(name).update(bytes).digest('hex')

async function bytesOf(stream: Readable | Buffer): Promise<Buffer> {
  if (Buffer.isBuffer(stream)) return stream
  return Buffer.concat(await stream.toArray())
}

test('content is read back unchanged, with its checksums', async () => {
  const content = openContentStore(directory, randomBytes)
  const bytes = randomBytes(1_000_000)
  const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 500_000), bytes.subarray(500_000)]
  const expected = {
    size: bytes.length,
    md5: hex('md5', bytes),
    sha1: hex('sha1', bytes),
    sha256: hex('sha256', bytes),
  }
  const received = await content.receive(Readable.from(pieces))
  const put = content.put(bytes)
  for (const blob of [received, put]) {
    expect(blob).toMatchObject(expected)
    expect((await bytesOf(content.read(blob))).equals(bytes)).toBe(true)
    const part = await bytesOf(content.read(blob, {start: 10, end: 19}))
    expect(part.equals(bytes.subarray(10, 20))).toBe(true)
    expect(content.readAll(blob).equals(bytes)).toBe(true)
    expect(content.readAll(blob, 5).equals(bytes.subarray(0, 5))).toBe(true)
  }
  expect(received.id).not.toBe(put.id)
  expect(content.readAll(content.put(Buffer.from('ab')), 5).toString()).toBe('ab')
})

test('large content is found with any ID', async () => {
  const random = (size: number) => {
    const bytes = randomBytes(size)
    Buffer.from('row-', 'base64url').copy(bytes)
    return bytes
  }
  const database = {get: () => undefined}
  const files = openContentStore(directory, random)
  const content = withSmallContent(files, database, 'drv.db', random)
  const bytes = randomBytes(SMALL + 1)
  const blob = content.put(bytes)
  expect(blob.id).toMatch(/^row-/)
  expect((await bytesOf(content.read(blob))).equals(bytes)).toBe(true)
  expect(content.readAll(blob).equals(bytes)).toBe(true)
  content.remove(blob.id)
  expect(readdirSync(directory)).toEqual([])
})

test('a body that breaks off leaves nothing', async () => {
  const content = openContentStore(directory, randomBytes)
  async function* broken() {
    yield Buffer.from('some')
    throw new Error('broken')
  }
  await expect(content.receive(Readable.from(broken()))).rejects.toThrow('broken')
  expect(readdirSync(directory)).toEqual([])
})

test('missing content can be removed again, but not read', () => {
  const content = openContentStore(directory, randomBytes)
  const blob = content.put(Buffer.from('x'))
  content.remove(blob.id)
  content.remove(blob.id)
  expect(() => content.read(blob)).toRead()
  expect(() => content.readAll(blob)).toThrow(DamagedContent)
})

test('a file that grows', async () => {
  const content = openContentStore(directory, randomBytes)
  const id = content.begin()
  expect(content.readAll({id, size: 0})).toHaveLength(0)
  for (const [position, text] of [
    [5, 'world'],
    [0, 'hello'],
  ] as const) {
    const file = await content.edit({id, size: 0})
    const writer = createPieceWriter(file, position)
    for (const letter of text) await writer.write(Buffer.from(letter))
    await writer.flush()
    await file.close()
  }
  expect(content.readAll({id, size: 10}).toString()).toBe('helloworld')
})

test('a file that cannot be written to', async () => {
  const content = openContentStore(directory, randomBytes)
  const file = await content.edit({id: content.begin(), size: 0})
  await file.close()
  const writer = createPieceWriter(file, 0)
  await writer.write(Buffer.from('x'))
  await expect(writer.flush()).rejects.toThrow()
})

test.each([
  [0, 0],
  [1, 0],
  [SMALL, 0],
  [SMALL + 1, 2],
])('content of %i bytes needs %i files', async (size, files) => {
  const store = openStore(directory)
  try {
    const {content} = store
    const bytes = randomBytes(size)
    const received = await content.receive(Readable.from(size > 0 ? [bytes] : []))
    const put = content.put(bytes)
    for (const blob of [received, put]) {
      expect(blob).toMatchObject({size, md5: hex('md5', bytes), sha1: hex('sha1', bytes)})
      registerBlob(store, 0, blob)
      expect((await bytesOf(content.read(blob))).equals(bytes)).toBe(true)
      const part = await bytesOf(content.read(blob, {start: 0, end: 0}))
      expect(part.equals(bytes.subarray(0, 1))).toBe(true)
      expect(content.readAll(blob).equals(bytes)).toBe(true)
      expect(content.readAll(blob, 5).equals(bytes.subarray(0, 5))).toBe(true)
    }
    expect(received.id).not.toBe(put.id)
    expect(readdirSync(join(directory, 'content'))).toHaveLength(files)
    const later: (() => void)[] = []
    forgetBlobs({store, afterCommit: work => later.push(work)}, [received.id, put.id])
    for (const work of later) work()
    for (const blob of [received, put]) {
      expect(() => content.read(blob)).toRead()
      expect(() => content.readAll(blob)).toThrow(DamagedContent)
    }
    expect(readdirSync(join(directory, 'content'))).toEqual([])
  } finally {
    store.close()
  }
})

describe('unreferenced content', () => {
  test('is deleted when the service starts, and nothing else is', async () => {
    const first = await startTestService({data: directory})
    const kept = 'kept '.repeat(SMALL)
    const {body} = await first.json('POST', '/upload/drive/v2/files', {body: kept})
    const started = await first.send('POST', '/upload/drive/v2/files', {
      query: {uploadType: 'resumable'},
    })
    first.store.content.begin()
    const files = join(directory, 'content')
    for (const name of readdirSync(files)) utimesSync(join(files, name), 0, 0)
    expect(readdirSync(files)).toHaveLength(3)
    await first.close()

    const second = await startTestService({data: directory})
    try {
      await expect.poll(() => readdirSync(files).length).toBe(2)
      const got = await second.send('GET', `files/${body.id}`, {query: {alt: 'media'}})
      expect(await got.text()).toBe(kept)
      const {pathname, search} = new URL(started.headers.get('location')!)
      const done = await second.json('PUT', pathname + search, {body: 'later'})
      expect(done.body.fileSize).toBe('5')
    } finally {
      await second.close()
    }
  })

  test('an expired upload is deleted with its bytes', async () => {
    const now = Date.UTC(2026, 10, 21)
    const first = await startTestService({data: directory, now})
    await first.send('POST', '/upload/drive/v2/files', {query: {uploadType: 'resumable'}})
    await first.close()
    expect(readdirSync(join(directory, 'content'))).toHaveLength(1)
    const second = await startTestService({data: directory, now: now + 7 * DAY})
    await second.close()
    expect(readdirSync(join(directory, 'content'))).toEqual([])
  })
})
