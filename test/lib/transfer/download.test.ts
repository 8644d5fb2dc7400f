import {execFileSync} from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {Writable} from 'node:stream'
import {afterEach, describe, expect, test} from 'vitest'
import {downloadFile, downloadTo} from '#lib/transfer/download.js'
import type {Download} from '#lib/transfer/types.js'
import {uploadFile} from '#lib/transfer/upload.js'
import {bytes, md5, type Place, startPlace} from './world.js'

const MIB = 1024 * 1024
const LARGE = 5 * MIB + 345
/** Large enough for a partial file. */
const HUGE = 33 * MIB + 345

let place: Place
afterEach(() => place.close())

type Rule = Readonly<Record<string, unknown>>

/** A file in the service, and what downloading it needs; faults apply to downloads. */
async function stored(content: Buffer, rules: readonly Rule[] = []) {
  const via = rules.map(rule => ({operations: 'files.get', via: 'download', ...rule}))
  place = await startPlace(via)
  const source = {path: place.file('source', content)}
  const world = place.process()
  const {id} = await uploadFile(world, {operation: 'files.insert', params: {}, source})
  place.requests.length = 0
  const path = join(place.folder, 'target')
  const wish: Download = {
    operation: 'files.get',
    params: {fileId: String(id)},
    path,
    overwrite: true,
    md5: md5(content),
    size: content.length,
    modified: Date.UTC(2020, 1, 2),
  }
  return {id: String(id), path, wish, world}
}

function expectWhole(path: string, content: Buffer) {
  expect(md5(readFileSync(path))).toBe(md5(content))
  expect(place.left()).toEqual([])
}

test.each([0, 1, 4096, MIB, MIB + 1, LARGE])('%i bytes arrive whole, in time', async size => {
  const content = bytes(size)
  const {path, wish, world} = await stored(content)
  const saved = await downloadFile(world, wish)
  expect(saved).toMatchObject({path, size, md5: md5(content)})
  expect(statSync(path).mtimeMs).toBe(Date.UTC(2020, 1, 2))
  expect(place.requests).toHaveLength(1)
  expectWhole(path, content)
})

const faults: ReadonlyArray<readonly [string, Rule]> = [
  ['resets on the way', {fault: 'reset', at: 'response', after: MIB, first: 3}],
  ['5xx', {fault: 'status', status: 502, body: 'html', first: 3}],
  ['answers that end too early', {fault: 'truncate', after: 70_000, first: 3}],
  ['too many requests', {fault: 'status', status: 429, retryAfter: 2, first: 2}],
]
test.each(faults)('large content arrives whole in spite of %s', async (_, fault) => {
  const content = bytes(LARGE)
  const {path, wish, world} = await stored(content, [fault])
  await downloadFile(world, wish)
  expectWhole(path, content)
})

test.each([...faults, ['no fault', {fault: 'reset', calls: [99]}] as const])(
  'huge content arrives whole in spite of %s',
  async (_, fault) => {
    const content = bytes(HUGE)
    const {path, wish, world} = await stored(content, [fault])
    await downloadFile(world, wish)
    expectWhole(path, content)
  },
)

test.each(faults)('small content arrives whole in spite of %s', async (_, fault) => {
  const content = bytes(100_000)
  const {path, wish, world} = await stored(content, [
    {...fault, ...('after' in fault && {after: 9})},
  ])
  await downloadFile(world, wish)
  expectWhole(path, content)
})

test('what has come is not asked for again', async () => {
  const fault = {fault: 'reset', at: 'response', after: 2 * MIB, first: 1}
  const {wish, world} = await stored(bytes(LARGE), [fault])
  await downloadFile(world, wish)
  expect(place.requests).toHaveLength(2)
  const start = Number(/bytes=(\d+)-$/.exec(place.requests[1]!)![1])
  expect(start).toBeGreaterThan(0)
})

test('a fault that stays is told, and what has come is kept', async () => {
  const {path, wish, world} = await stored(bytes(LARGE), [{fault: 'status', status: 503}])
  await expect(downloadFile(world, wish)).rejects.toMatchObject({status: 503})
  expect(existsSync(path)).toBe(false)
  expect(place.slept.length).toBe(4)
})

describe('a download that was interrupted', () => {
  async function interrupted(wish: Download, after: number) {
    const controller = new AbortController()
    const onProgress = (done: number) => {
      if (done > after) controller.abort(new Error('Interrupted.'))
    }
    const world = place.process({signal: controller.signal})
    await expect(downloadFile(world, {...wish, onProgress})).rejects.toThrow('Interrupted.')
    place.requests.length = 0
  }

  test('goes on with the byte that is missing', async () => {
    const content = bytes(LARGE)
    const {path, wish} = await stored(content)
    await interrupted(wish, 3 * MIB)
    expect(place.left()).toHaveLength(2)
    expect(existsSync(path)).toBe(false)
    await downloadFile(place.process(), wish)
    expect(place.requests).toHaveLength(1)
    expect(Number(/bytes=(\d+)-$/.exec(place.requests[0]!)![1])).toBeGreaterThan(MIB)
    expectWhole(path, content)
  })

  test('begins anew when the content changed since', async () => {
    const {id, path, wish} = await stored(bytes(LARGE))
    await interrupted(wish, 3 * MIB)
    const other = bytes(LARGE, 9)
    const source = {path: place.file('other', other)}
    const world = place.process()
    await uploadFile(world, {operation: 'files.update', params: {fileId: id}, source})
    await downloadFile(world, {...wish, md5: md5(other)})
    expectWhole(path, other)
  })

  test('goes on by its tag where there is no MD5', async () => {
    const content = bytes(LARGE)
    const {id, path, wish} = await stored(content)
    const blind = {...wish, md5: undefined, size: undefined}
    await interrupted(blind, 3 * MIB)
    await downloadFile(place.process(), blind)
    expect(place.requests[0]).toMatch(/bytes=\d+-$/)
    expectWhole(path, content)
    const other = bytes(LARGE, 9)
    await interrupted(blind, 3 * MIB)
    const source = {path: place.file('other', other)}
    const world = place.process()
    await uploadFile(world, {operation: 'files.update', params: {fileId: id}, source})
    await downloadFile(world, blind)
    expectWhole(path, other)
  })

  test.each([
    ['damaged', (part: string) => writeFileSync(part, bytes(3 * MIB, 5))],
    ['shorter', (part: string) => truncateSync(part, 1000)],
    ['longer than all', (part: string) => writeFileSync(part, bytes(LARGE + 99, 5))],
    ['whole', (part: string) => writeFileSync(part, bytes(LARGE))],
  ])('arrives whole when what was kept is %s', async (_, change) => {
    const content = bytes(LARGE)
    const {path, wish} = await stored(content)
    await interrupted(wish, 2 * MIB)
    change(
      join(
        place.folder,
        place.left().find(name => name.endsWith('.part'))!,
      ),
    )
    await downloadFile(place.process(), wish)
    expectWhole(path, content)
  })

  test('is told of again when it was over, and nobody was told', async () => {
    const content = bytes(LARGE)
    const {path, wish, world} = await stored(content)
    const once = {...wish, overwrite: false}
    const first = await downloadFile({...world, afterwards: () => {}}, once)
    place.requests.length = 0
    expect(await downloadFile(place.process(), once)).toEqual({...first, mimeType: undefined})
    expect(place.requests).toEqual([])
    expectWhole(path, content)
    // Now the result has been reported.
    await expect(downloadFile(place.process(), once)).rejects.toMatchObject({kind: 'conflict'})
  })

  test('leaves nothing behind where the whole content has come another way', async () => {
    const content = bytes(LARGE)
    const {path, wish} = await stored(content)
    const once = {...wish, overwrite: false}
    await interrupted(once, 2 * MIB)
    writeFileSync(path, content)
    expect(await downloadFile(place.process(), once)).toMatchObject({path, size: LARGE})
    expectWhole(path, content)
  })

  test('is no excuse for something else at its path', async () => {
    const {path, wish} = await stored(bytes(LARGE))
    const once = {...wish, overwrite: false}
    await interrupted(once, 2 * MIB)
    writeFileSync(path, 'mine')
    await expect(downloadFile(place.process(), once)).rejects.toMatchObject({kind: 'conflict'})
    expect(readFileSync(path, 'utf8')).toBe('mine')
  })

  test('is discarded with what has come', async () => {
    const {wish} = await stored(bytes(LARGE))
    await interrupted(wish, 2 * MIB)
    const journal = place.process().journal!
    const [known] = await journal.list()
    expect(known).toMatchObject({isActive: false, entry: {kind: 'download', path: wish.path}})
    expect(await journal.discard(known!.key)).toBe(true)
    expect(place.left()).toEqual([])
  })

  test('is forgotten after a week, with what has come', async () => {
    const {wish} = await stored(bytes(LARGE))
    await interrupted(wish, 2 * MIB)
    place.service.clock.now += 8 * 24 * 3600 * 1000
    expect(await place.process().journal!.list()).toEqual([])
    expect(place.left()).toEqual([])
  })
})

describe('content that is not what was announced', () => {
  test.each([100, LARGE])('never gets the name (%i bytes)', async size => {
    const {path, wish, world} = await stored(bytes(size))
    const wrong = downloadFile(world, {...wish, md5: md5('other')})
    await expect(wrong).rejects.toMatchObject({kind: 'content'})
    expect(existsSync(path)).toBe(false)
    expect(place.left()).toEqual([])
  })
})

describe('a target that is taken', () => {
  test.each([100, LARGE])('by a file nobody named stays (%i bytes)', async size => {
    const {path, wish, world} = await stored(bytes(size))
    writeFileSync(path, 'mine')
    const download = downloadFile(world, {...wish, overwrite: false})
    await expect(download).rejects.toMatchObject({kind: 'conflict'})
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect(place.left()).toEqual([])
  })

  test.each([100, LARGE])('by a file that appears meanwhile stays (%i bytes)', async size => {
    const {path, wish, world} = await stored(bytes(size))
    const onProgress = () => writeFileSync(path, 'mine')
    const download = downloadFile(world, {...wish, overwrite: false, onProgress})
    await expect(download).rejects.toMatchObject({kind: 'conflict'})
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect(place.left()).toEqual([])
  })

  test('by a folder stays', async () => {
    const {path, wish, world} = await stored(bytes(10))
    mkdirSync(path)
    await expect(downloadFile(world, wish)).rejects.toRead()
    expect(statSync(path).isDirectory()).toBe(true)
  })

  test.each([10, LARGE])('by a pipe or a device stays (%i bytes)', async size => {
    const {path, wish, world} = await stored(bytes(size))
    execFileSync('mkfifo', [path])
    await expect(downloadFile(world, wish)).rejects.toRead()
    expect(lstatSync(path).isFIFO()).toBe(true)
  })

  test('by a link does not lead elsewhere', async () => {
    const content = bytes(LARGE)
    const {path, wish, world} = await stored(content)
    const elsewhere = place.file('elsewhere', 'untouched')
    symlinkSync(elsewhere, path)
    await downloadFile(world, wish)
    expect(lstatSync(path).isSymbolicLink()).toBe(false)
    expect(readFileSync(elsewhere, 'utf8')).toBe('untouched')
    expectWhole(path, content)
  })

  test('with its temporary name by a link is refused', async () => {
    const {wish, world} = await stored(bytes(LARGE))
    const folder = place.folder
    const elsewhere = place.file('elsewhere', 'untouched')
    const names = new Set(readdirSync(folder))
    const controller = new AbortController()
    const onProgress = () => controller.abort(new Error('stop'))
    const stopped = place.process({signal: controller.signal})
    await expect(downloadFile(stopped, {...wish, onProgress})).rejects.toThrow('stop')
    const part = readdirSync(folder).find(name => !names.has(name) && name.endsWith('.part'))!
    const journal = world.journal!
    await journal.discard((await journal.list())[0]!.key)
    symlinkSync(elsewhere, join(folder, part))
    await expect(downloadFile(world, wish)).rejects.toRead()
    expect(readFileSync(elsewhere, 'utf8')).toBe('untouched')
  })
})

test('a folder that is not there is named', async () => {
  const {wish, world} = await stored(bytes(10))
  const path = join(place.folder, 'no', 'such')
  await expect(downloadFile(world, {...wish, path})).rejects.toRead()
})

test.runIf(existsSync('/dev/full'))('a disk that is full is named', async () => {
  const {diskError} = await import('#lib/transfer/target.js')
  const {open} = await import('node:fs/promises')
  place = await startPlace()
  const full = await open('/dev/full', 'w')
  const error: unknown = await full.write('x').catch((caught: unknown) => caught)
  await full.close()
  expect(diskError(error, '/a/b')).toMatchObject({
    message: 'Cannot write /a/b: the disk is full.',
  })
})

describe('to a stream', () => {
  function collector() {
    const chunks: Buffer[] = []
    const stream = new Writable({
      write(chunk: Buffer, _, done) {
        chunks.push(chunk)
        done()
      },
    })
    return {stream, content: () => Buffer.concat(chunks)}
  }

  test.each(faults)('every byte comes once in spite of %s', async (_, fault) => {
    const content = bytes(LARGE)
    const {wish, world} = await stored(content, [fault])
    const {stream, content: collected} = collector()
    await downloadTo(world, wish, stream)
    expect(collected().equals(content)).toBe(true)
  })

  test('content that changed halfway is not mixed', async () => {
    const fault = {fault: 'reset', at: 'response', after: 2 * MIB, first: 1}
    const {id, wish, world} = await stored(bytes(LARGE), [fault])
    const source = {path: place.file('other', bytes(LARGE, 9))}
    let isChanged = false
    const download = world.client.download
    const changing: typeof world = {
      ...world,
      client: {
        ...world.client,
        async download(operation, input, range) {
          if (range?.start && !isChanged) {
            isChanged = true
            const update = {operation: 'files.update' as const, params: {fileId: id}, source}
            await uploadFile(world, update)
          }
          return download(operation, input, range)
        },
      },
    }
    const wanted = downloadTo(changing, {...wish, size: undefined}, collector().stream)
    await expect(wanted).rejects.toMatchObject({kind: 'content'})
  })
})
