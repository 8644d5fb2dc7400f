import {createHash} from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {CHUNK_UNIT} from '#lib/api/wire.js'
import {DataError} from '#lib/platform/setup-error.js'
import {checkData, type CheckOptions, type DataFinding} from '#lib/service/check.js'
import {SMALL} from '#lib/service/store/content/small.js'
import {MARK} from '#lib/service/store/database/data-directory.js'
import {openDatabase} from '#lib/service/store/database/database.js'
import {openReadOnly} from '#lib/service/store/database/inspect.js'
import {layouts} from '#lib/service/store/database/layout.js'
import {startTestService, type TestService} from './harness.js'

/** Checks all content of a data directory against its database. */

const DAY = 24 * 3600 * 1000
const LARGE = 'x'.repeat(2 * SMALL)

let service: TestService
beforeEach(async () => {
  service = await startTestService()
})
afterEach(() => service.close())

const content = (...names: string[]) => join(service.directory, 'content', ...names)

async function check(options: Partial<CheckOptions> = {}) {
  const findings: DataFinding[] = []
  const all = checkData(service.directory, {now: Date.now(), ...options})
  for (;;) {
    const {done, value} = await all.next()
    if (done) return {findings, ...value}
    findings.push(value)
  }
}

async function upload(body: string, title: string) {
  const answer = await service.json('POST', '/upload/drive/v2/files', {body})
  await service.json('PATCH', `files/${answer.body.id}`, {body: {title}})
  return answer.body as {id: string; headRevisionId: string}
}

/** The path of the newest content of a file, below the data directory. */
function pathOf(fileId: string): string {
  const {blob_id: id} = service.store.get<{blob_id: string}>(
    'SELECT blob_id FROM revisions WHERE file_id = :fileId ORDER BY number DESC LIMIT 1',
    {fileId},
  )!
  return join('content', id)
}

function age(path: string): void {
  utimesSync(path, 0, (Date.now() - DAY - 60_000) / 1000)
}

test('intact data has no findings, even while the service runs', async () => {
  await upload(LARGE, 'large')
  await upload('small', 'small')
  await service.json('POST', 'files', {body: {title: 'empty'}})
  const progress: Array<[number, number]> = []
  const onProgress = (done: number, total: number) => progress.push([done, total])
  expect(await check({onProgress})).toEqual({
    findings: [],
    contents: 3,
    bytes: LARGE.length + 5,
    young: 0,
  })
  expect(progress.at(-1)).toEqual([LARGE.length + 5, LARGE.length + 5])
})

describe('content in a file', () => {
  test.each<[string, (path: string) => void, Partial<DataFinding>]>([
    ['gone', path => rmSync(path), {what: 'missing', problem: 'The file does not exist.'}],
    [
      'shorter',
      path => truncateSync(path, 7),
      {what: 'damaged', problem: 'It has 7 bytes instead of 32768.'},
    ],
    [
      'longer',
      path => appendFileSync(path, 'x'),
      {what: 'damaged', problem: 'It has 32769 bytes instead of 32768.'},
    ],
    [
      'other bytes of the same number',
      path => writeFileSync(path, LARGE.replace(/x$/, 'y')),
      {what: 'damaged', problem: 'Its MD5 checksum does not match.'},
    ],
    [
      'a directory',
      path => {
        rmSync(path)
        mkdirSync(path)
      },
      {what: 'damaged', problem: 'The file cannot be read: it is not a regular file.'},
    ],
    [
      'a link to itself',
      path => {
        rmSync(path)
        symlinkSync(path, path)
      },
      {what: 'damaged', problem: 'The file cannot be read: it is not a regular file.'},
    ],
  ])('that is %s', async (_, damage, expected) => {
    const {id, headRevisionId: revision_id} = await upload(LARGE, 'a.txt')
    await upload('small', 'sound')
    const path = pathOf(id)
    damage(join(service.directory, path))
    const {findings} = await check()
    expect(findings).toEqual([{...expected, path, files: [{id, title: 'a.txt', revision_id}]}])
  })

  test('is reported with all files that have it, including older revisions', async () => {
    const first = await upload(LARGE, 'first')
    const copy = await service.json('POST', `files/${first.id}/copy`, {body: {title: 'copy'}})
    const path = pathOf(first.id)
    await service.json('PUT', `/upload/drive/v2/files/${first.id}`, {body: 'new'})
    rmSync(join(service.directory, path))
    const {findings} = await check()
    expect(findings).toHaveLength(1)
    expect(findings[0]!.files).toHaveLength(2)
    expect(findings[0]!.files).toEqual(
      expect.arrayContaining([
        {id: first.id, title: 'first', revision_id: first.headRevisionId},
        {id: copy.body.id, title: 'copy', revision_id: copy.body.headRevisionId},
      ]),
    )
  })

  test('that is missing with its directory', async () => {
    const {id} = await upload(LARGE, 'a.txt')
    rmSync(content(), {recursive: true})
    expect((await check()).findings).toMatchObject([{what: 'missing', path: pathOf(id)}])
    writeFileSync(content(), '')
    await expect(check()).rejects.toMatchObject({
      name: 'DataError',
      message: `Cannot read the content directory ${content()}: a parent of the path is not a directory.`,
    })
    rmSync(content())
  })

  test('is read in pieces', {timeout: 30_000}, async () => {
    const size = 256 * 1024 * 1024
    const {id} = await upload(LARGE, 'a.txt')
    const zeros = createHash('md5')
    for (let at = 0; at < size; at += 1024 * 1024) zeros.update(Buffer.alloc(1024 * 1024))
    service.store.run('UPDATE blobs SET size = :size, md5 = :md5', {size, md5: zeros.digest('hex')})
    const path = join(service.directory, pathOf(id))
    writeFileSync(path, '')
    truncateSync(path, size)
    const before = process.memoryUsage().rss
    expect(await check()).toMatchObject({findings: [], bytes: size})
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })

  test('stops on a signal', async () => {
    await upload(LARGE, 'a.txt')
    await expect(check({signal: AbortSignal.abort(new Error('enough'))})).rejects.toThrow('enough')
  })
})

test.each<[string, string, Partial<DataFinding>]>([
  [
    'damaged',
    "bytes = x'7468617421'",
    {what: 'damaged', problem: 'Its MD5 checksum does not match.'},
  ],
  ['cut', "bytes = x'74'", {what: 'damaged', problem: 'It has 1 bytes instead of 5.'}],
  ['gone', 'bytes = NULL', {what: 'missing', problem: 'The database has no content for it.'}],
])('content in the database that is %s', async (_, change, expected) => {
  const {id} = await upload('small', 'a.txt')
  service.store.run(`UPDATE blobs SET ${change}`)
  const {findings} = await check()
  expect(findings).toMatchObject([{...expected, path: 'drv.db', files: [{id, title: 'a.txt'}]}])
})

test('content without a database row is surplus after a day', async () => {
  await upload(LARGE, 'a.txt')
  writeFileSync(content('mine.txt'), 'mine')
  mkdirSync(content('folder'))
  writeFileSync(content('new'), 'new')
  age(content('mine.txt'))
  age(content('folder'))
  for (const name of readdirSync(content())) if (name.length > 20) age(content(name))
  const {findings, young} = await check()
  expect(findings.sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
    {
      what: 'surplus',
      path: 'content/folder',
      problem: 'It is not in the database.',
      files: [],
    },
    {
      what: 'surplus',
      path: 'content/mine.txt',
      problem: 'It is not in the database.',
      files: [],
    },
  ])
  expect(young).toBe(1)
})

test('an upload in progress needs its confirmed bytes', async () => {
  const started = await service.send('POST', '/upload/drive/v2/files', {
    query: {uploadType: 'resumable'},
  })
  const {pathname, search} = new URL(started.headers.get('location')!)
  await service.send('PUT', pathname + search, {
    headers: {'content-range': `bytes 0-${CHUNK_UNIT - 1}/${2 * CHUNK_UNIT}`},
    body: Buffer.alloc(CHUNK_UNIT),
  })
  const now = service.clock.now
  const [name] = readdirSync(content())
  age(content(name!))
  expect((await check({now})).findings).toEqual([])
  appendFileSync(content(name!), 'more')
  expect((await check({now})).findings).toEqual([])
  truncateSync(content(name!), 3)
  const path = `content/${name}`
  expect((await check({now})).findings).toEqual([
    {
      what: 'damaged',
      path,
      problem: `It has 3 bytes instead of ${CHUNK_UNIT}. It belongs to an upload in progress.`,
      files: [],
    },
  ])
  rmSync(content(name!))
  expect((await check({now})).findings).toMatchObject([{what: 'missing', path}])
  // It has expired, and the service deletes it.
  expect((await check({now: now + 8 * DAY})).findings).toEqual([])
})

test('content deleted during the check is not a finding', async () => {
  const {id} = await upload(LARGE, 'a.txt')
  const path = join(service.directory, pathOf(id))
  rmSync(path)
  const all = checkData(service.directory, {
    now: Date.now(),
    // Between reading the file and reading the row again.
    onProgress() {
      service.store.run('DELETE FROM files WHERE id = :id', {id})
      service.store.run('DELETE FROM blobs')
    },
  })
  expect(await all.next()).toMatchObject({done: true})
})

test('nothing is created or changed', async () => {
  await upload(LARGE, 'a.txt')
  await upload('small', 'b.txt')
  writeFileSync(content('mine'), 'mine')
  age(content('mine'))
  const state = () =>
    ['drv.db', ...readdirSync(content()).map(name => join('content', name))].map(name => {
      const {mtimeMs, size, mode} = statSync(join(service.directory, name))
      return [name, mtimeMs, size, mode]
    })
  const before = state()
  expect((await check()).findings).toHaveLength(1)
  expect(state()).toEqual(before)
})

describe('a directory that cannot be checked', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'drv-'))
  })
  afterEach(() => rmSync(directory, {recursive: true, force: true}))

  test.each<[string, () => void]>([
    ['is missing', () => rmSync(directory, {recursive: true})],
    ['is empty', () => undefined],
    ['has an empty database', () => writeFileSync(join(directory, 'drv.db'), '')],
    ['has a directory for a database', () => mkdirSync(join(directory, 'drv.db'))],
    [
      'has some other file for a database',
      () => writeFileSync(join(directory, 'drv.db'), 'something else. '.repeat(1000)),
    ],
  ])('because it %s', async (_, make) => {
    make()
    const thrown = await checkData(directory, {now: 0})
      .next()
      .catch((error: unknown) => error)
    expect(thrown).toMatchObject({name: 'DataError'})
    expect((thrown as Error).message).toRead()
    const left = statSync(directory, {throwIfNoEntry: false}) ? readdirSync(directory) : []
    expect(left.filter(name => name !== 'drv.db')).toEqual([])
  })

  test('data with the first layout can be checked, and keeps its layout', async () => {
    openDatabase(directory, layouts.slice(0, 1)).close()
    expect(await checkData(directory, {now: 0}).next()).toMatchObject({
      done: true,
      value: {contents: 0},
    })
    const after = openReadOnly(directory)
    expect(after.get('PRAGMA user_version')).toMatchObject({user_version: 9})
    expect(() => after.get("UPDATE users SET name = ''")).toThrow(DataError)
    after.close()
  })

  test('because another version of drv wrote it', async () => {
    service.store.all('PRAGMA user_version = 999')
    await expect(check()).rejects.toMatchObject({name: 'DataError'})
    service.store.all('PRAGMA user_version = 8')
    await expect(check()).rejects.toMatchObject({
      name: 'DataError',
    })
    service.store.all('PRAGMA user_version = 9')
    const mark = join(service.directory, MARK)
    writeFileSync(mark, readFileSync(mark, 'utf8').replace('"format":1', '"format":2'))
    await expect(check()).rejects.toMatchObject({name: 'DataError'})
    rmSync(mark)
    service.store.all('PRAGMA user_version = 0')
    await expect(check()).rejects.toMatchObject({name: 'DataError'})
  })
})
