import {execFileSync} from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {Writable} from 'node:stream'
import {afterEach, describe, expect, test} from 'vitest'
import {downloadFile, downloadTo} from '#lib/transfer/download.js'
import {createKeptFiles} from '#lib/transfer/sync/kept-files.js'
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

test.each([0, 1, 4096, MIB, MIB + 1, LARGE])('%i bytes arrive complete, in time', async size => {
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
test.each(faults)('large content arrives complete despite %s', async (_, fault) => {
  const content = bytes(LARGE)
  const {path, wish, world} = await stored(content, [fault])
  await downloadFile(world, wish)
  expectWhole(path, content)
})

test.each([...faults, ['no fault', {fault: 'reset', calls: [99]}] as const])(
  'huge content arrives complete despite %s',
  async (_, fault) => {
    const content = bytes(HUGE)
    const {path, wish, world} = await stored(content, [fault])
    await downloadFile(world, wish)
    expectWhole(path, content)
  },
)

test.each([4096, LARGE])(
  'a version that is saved during a download of %i bytes stays',
  async size => {
    const {path, wish, world} = await stored(bytes(size))
    writeFileSync(path, 'old')
    const {size: before, mtimeMs, ino} = statSync(path)
    const state = {size: before, modified: Math.floor(mtimeMs), inode: ino}
    const kept = createKeptFiles({root: place.folder, now: () => 0, host: 'laptop'})
    const replaced = kept.replacing(path, state)
    const onProgress = () => writeFileSync(path, 'saved meanwhile')
    await expect(downloadFile(world, {...wish, replaced, onProgress})).rejects.toThrow(
      'was changed by another program',
    )
    expect(readFileSync(path, 'utf8')).toBe('saved meanwhile')
    expect(kept.check(true)).toEqual([])
    rmSync(join(place.folder, '.drv-trash'), {recursive: true, force: true})
    expect(place.left()).toEqual([])
  },
)

test.each(faults)('small content arrives complete despite %s', async (_, fault) => {
  const content = bytes(100_000)
  const {path, wish, world} = await stored(content, [
    {...fault, ...('after' in fault && {after: 9})},
  ])
  await downloadFile(world, wish)
  expectWhole(path, content)
})

test('received content is not requested again', async () => {
  const fault = {fault: 'reset', at: 'response', after: 2 * MIB, first: 1}
  const {wish, world} = await stored(bytes(LARGE), [fault])
  await downloadFile(world, wish)
  expect(place.requests).toHaveLength(2)
  const start = Number(/bytes=(\d+)-$/.exec(place.requests[1]!)![1])
  expect(start).toBeGreaterThan(0)
})

test('a permanent fault is reported, and received content is kept', async () => {
  const {path, wish, world} = await stored(bytes(LARGE), [{fault: 'status', status: 503}])
  await expect(downloadFile(world, wish)).rejects.toMatchObject({status: 503})
  expect(existsSync(path)).toBe(false)
  expect(place.slept.length).toBe(4)
})

describe('an interrupted download', () => {
  async function interrupted(wish: Download, after: number) {
    const controller = new AbortController()
    const onProgress = (done: number) => {
      if (done > after) controller.abort(new Error('Interrupted.'))
    }
    const world = place.process({signal: controller.signal})
    await expect(downloadFile(world, {...wish, onProgress})).rejects.toThrow('Interrupted.')
    place.requests.length = 0
  }

  test('continues with the first missing byte', async () => {
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

  test('starts again if the content has changed', async () => {
    const {id, path, wish} = await stored(bytes(LARGE))
    await interrupted(wish, 3 * MIB)
    const other = bytes(LARGE, 9)
    const source = {path: place.file('other', other)}
    const world = place.process()
    await uploadFile(world, {operation: 'files.update', params: {fileId: id}, source})
    await downloadFile(world, {...wish, md5: md5(other)})
    expectWhole(path, other)
  })

  test('continues by ETag if there is no MD5', async () => {
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
  ])('arrives complete if the partial file is %s', async (_, change) => {
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

  test('is reported again if it was complete but not reported', async () => {
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

  test('leaves nothing behind if the content has arrived in another way', async () => {
    const content = bytes(LARGE)
    const {path, wish} = await stored(content)
    const once = {...wish, overwrite: false}
    await interrupted(once, 2 * MIB)
    writeFileSync(path, content)
    expect(await downloadFile(place.process(), once)).toMatchObject({path, size: LARGE})
    expectWhole(path, content)
  })

  test('does not replace another file at its path', async () => {
    const {path, wish} = await stored(bytes(LARGE))
    const once = {...wish, overwrite: false}
    await interrupted(once, 2 * MIB)
    writeFileSync(path, 'mine')
    await expect(downloadFile(place.process(), once)).rejects.toMatchObject({kind: 'conflict'})
    expect(readFileSync(path, 'utf8')).toBe('mine')
  })

  test('is discarded with its partial file', async () => {
    const {wish} = await stored(bytes(LARGE))
    await interrupted(wish, 2 * MIB)
    const journal = place.process().journal!
    const [known] = await journal.list()
    expect(known).toMatchObject({isActive: false, entry: {kind: 'download', path: wish.path}})
    expect(await journal.discard(known!.key)).toBe(true)
    expect(place.left()).toEqual([])
  })

  test('is deleted after a week, with its partial file', async () => {
    const {wish} = await stored(bytes(LARGE))
    await interrupted(wish, 2 * MIB)
    place.service.clock.now += 8 * 24 * 3600 * 1000
    expect(await place.process().journal!.list()).toEqual([])
    expect(place.left()).toEqual([])
  })
})

describe('content with a wrong MD5', () => {
  test.each([100, LARGE])('never gets the final name (%i bytes)', async size => {
    const {path, wish, world} = await stored(bytes(size))
    const wrong = downloadFile(world, {...wish, md5: md5('other')})
    await expect(wrong).rejects.toMatchObject({kind: 'content'})
    expect(existsSync(path)).toBe(false)
    expect(place.left()).toEqual([])
  })
})

describe('an existing target', () => {
  test.each([100, LARGE])('that is another file is kept (%i bytes)', async size => {
    const {path, wish, world} = await stored(bytes(size))
    writeFileSync(path, 'mine')
    const download = downloadFile(world, {...wish, overwrite: false})
    await expect(download).rejects.toMatchObject({kind: 'conflict'})
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect(place.left()).toEqual([])
  })

  test.each([100, LARGE])('that appears during the download is kept (%i bytes)', async size => {
    const {path, wish, world} = await stored(bytes(size))
    const onProgress = () => writeFileSync(path, 'mine')
    const download = downloadFile(world, {...wish, overwrite: false, onProgress})
    await expect(download).rejects.toMatchObject({kind: 'conflict'})
    expect(readFileSync(path, 'utf8')).toBe('mine')
    expect(place.left()).toEqual([])
  })

  test('that is a folder is kept', async () => {
    const {path, wish, world} = await stored(bytes(10))
    mkdirSync(path)
    await expect(downloadFile(world, wish)).rejects.toRead()
    expect(statSync(path).isDirectory()).toBe(true)
  })

  test.each([10, LARGE])('that is a pipe or a device is kept (%i bytes)', async size => {
    const {path, wish, world} = await stored(bytes(size))
    execFileSync('mkfifo', [path])
    await expect(downloadFile(world, wish)).rejects.toRead()
    expect(lstatSync(path).isFIFO()).toBe(true)
  })

  test('that is a link is not followed', async () => {
    const content = bytes(LARGE)
    const {path, wish, world} = await stored(content)
    const elsewhere = place.file('elsewhere', 'untouched')
    symlinkSync(elsewhere, path)
    await downloadFile(world, wish)
    expect(lstatSync(path).isSymbolicLink()).toBe(false)
    expect(readFileSync(elsewhere, 'utf8')).toBe('untouched')
    expectWhole(path, content)
  })

  test('whose temporary name is a link is rejected', async () => {
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

test('a missing folder is reported', async () => {
  const {wish, world} = await stored(bytes(10))
  const path = join(place.folder, 'no', 'such')
  await expect(downloadFile(world, {...wish, path})).rejects.toRead()
})

test.runIf(existsSync('/dev/full'))('a full disk is reported', async () => {
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

  test.each(faults)('every byte arrives once despite %s', async (_, fault) => {
    const content = bytes(LARGE)
    const {wish, world} = await stored(content, [fault])
    const {stream, content: collected} = collector()
    await downloadTo(world, wish, stream)
    expect(collected().equals(content)).toBe(true)
  })

  test('content that changes halfway is not mixed', async () => {
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
