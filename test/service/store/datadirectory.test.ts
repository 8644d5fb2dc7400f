import {spawn} from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {basename, join} from 'node:path'
import Sqlite from 'libsql'
import {afterEach, beforeEach, describe, expect, onTestFinished, test} from 'vitest'
import {DataError} from '#lib/platform/setup-error.js'
import {SMALL} from '#lib/service/store/content/small.js'
import {MARK} from '#lib/service/store/database/data-directory.js'
import {openDatabase} from '#lib/service/store/database/database.js'
import {layouts} from '#lib/service/store/database/layout.js'
import {openStore} from '#lib/service/store/index.js'
import {startTestService} from '../harness.js'

let directory: string
let content: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'drv-'))
  content = join(directory, 'content')
})
afterEach(() => rmSync(directory, {recursive: true, force: true}))

const DAY = 24 * 3600 * 1000
/** Content that is stored in a file. */
const LARGE = 'large '.repeat(SMALL)

/** A service on the directory, with its notices. It stops after the test. */
async function start(now = Date.now()) {
  const notices: string[] = []
  const service = await startTestService({
    data: directory,
    now,
    notice: text => notices.push(text),
    log: error => {
      throw error
    },
  })
  let isOpen = true
  const close = async () => {
    if (isOpen) await service.close()
    isOpen = false
  }
  onTestFinished(close)
  return {...service, notices, close}
}

/** Writes a file with an old modification time. */
function writeOld(path: string, text: string): void {
  writeFileSync(path, text)
  age(path)
}

function age(path: string): void {
  utimesSync(path, 0, 0)
}

/** Adds a file whose content is stored in a file. Returns its ID. */
async function fill(): Promise<string> {
  const service = await start()
  const {body} = await service.json('POST', '/upload/drive/v2/files', {body: LARGE})
  await service.close()
  return body.id as string
}

/** Starts and stops a service; closing waits for the cleanup. Returns its notices. */
async function startAndEnd(now?: number): Promise<string[]> {
  const {close, notices} = await start(now)
  await close()
  return notices
}

/** A data directory from before mark files existed, with content. */
function makeOld(): void {
  const database = openDatabase(directory, layouts)
  database.run(`INSERT INTO users (login, name, email, permission_id, root_id, created_at, updated_at)
    VALUES ('ada', 'Ada', 'ada@example.com', '1', 'root', 0, 0)`)
  database.run(`INSERT INTO blobs (id, size, md5, sha1, sha256, created_at)
    VALUES ('known', 5, '', '', '', 0)`)
  database.close()
  mkdirSync(content)
  writeOld(join(content, 'known'), 'known')
}

const databaseFiles = () =>
  ['drv.db', 'drv.db-wal', 'drv.db-shm'].map(name => join(directory, name))

function removeDatabase(): void {
  for (const path of databaseFiles()) rmSync(path, {force: true})
}

/** Backs up the database. Returns a function that restores it. The last writes are in its log. */
function backUp(): () => void {
  const copies = databaseFiles()
    .filter(path => existsSync(path) && !path.endsWith('-shm'))
    .map(path => ({path, bytes: readFileSync(path)}))
  return () => {
    removeDatabase()
    for (const {path, bytes} of copies) writeFileSync(path, bytes)
  }
}

function makeDatabase(sql: string): void {
  const database = new Sqlite(join(directory, 'drv.db'))
  database.exec(sql)
  database.close()
}

function open(): void {
  openStore(directory).close()
}

function refusalOf(): DataError {
  try {
    open()
  } catch (error) {
    expect(error).toBeInstanceOf(DataError)
    return error as DataError
  }
  throw new Error('The directory was taken.')
}

function markedId(): string {
  const mark = JSON.parse(readFileSync(join(directory, MARK), 'utf8')) as Record<string, unknown>
  expect(mark).toEqual({program: 'drv', format: 1, id: expect.stringMatching(/^[\w-]{28}$/)})
  return mark.id as string
}

function databaseId(): string | undefined {
  const store = openStore(directory)
  try {
    return store.get<{id: string}>('SELECT id FROM data_directory')?.id
  } finally {
    store.close()
  }
}

/** The files below the directory, by path. */
function files(): string[] {
  const entries = readdirSync(directory, {recursive: true, withFileTypes: true})
  return entries.filter(entry => entry.isFile()).map(({parentPath, name}) => join(parentPath, name))
}

/** Their contents, to check that nothing changed, except `-shm`, which every reader writes. */
function everything(): Record<string, string> {
  const lasting = files().filter(path => !path.endsWith('-shm'))
  return Object.fromEntries(lasting.map(path => [path, readFileSync(path, 'latin1')]))
}

describe('unreferenced content', () => {
  test('is moved aside and reported, never deleted', async () => {
    const id = await fill()
    const own = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt']
    for (const name of own) writeOld(join(content, name), name)
    mkdirSync(join(directory, 'lost+found'))
    writeFileSync(join(directory, 'lost+found', 'a.txt'), 'an older one')
    const service = await start()
    const got = await service.send('GET', `files/${id}`, {query: {alt: 'media'}})
    expect(await got.text()).toBe(LARGE)
    await service.close()
    const lost = join(directory, 'lost+found')
    expect(readdirSync(content)).toHaveLength(1)
    expect(readdirSync(lost).sort()).toEqual([...own, 'a.txt.2'].sort())
    expect(readFileSync(join(lost, 'a.txt'), 'utf8')).toBe('an older one')
    expect(readFileSync(join(lost, 'a.txt.2'), 'utf8')).toBe('a.txt')
    expect(service.notices).toEqual([
      expect.stringMatching(`^Moved .*${content} to .*lost.found: .* and 2 more\\.$`),
    ])
    expect(await startAndEnd()).toEqual([])
  })

  test('is kept while it is new, because another process may be using it', async () => {
    await fill()
    writeFileSync(join(content, 'mine.txt'), 'mine')
    expect(await startAndEnd()).toEqual([])
    expect(existsSync(join(content, 'mine.txt'))).toBe(true)
  })

  test('is kept and reported if it cannot be moved', async () => {
    await fill()
    writeOld(join(content, 'mine.txt'), 'mine')
    writeFileSync(join(directory, 'lost+found'), 'a file where the directory should be')
    const told = await startAndEnd()
    expect(told).toHaveLength(1)
    expect(told[0]).toRead()
    expect(readFileSync(join(content, 'mine.txt'), 'utf8')).toBe('mine')
  })

  test('is deleted if the service itself wrote it and was interrupted', async () => {
    await fill()
    const store = openStore(directory)
    const id = store.content.begin()
    store.close()
    const [name] = readdirSync(content).filter(each => each.startsWith(id))
    const file = join(content, name!)
    // A similar name, but not from this service.
    const forged = join(content, 'mine.unfinished')
    writeOld(forged, 'mine')
    await startAndEnd()
    expect(existsSync(file)).toBe(true)
    expect(existsSync(forged)).toBe(false)
    age(file)
    expect(await startAndEnd()).toEqual([])
    expect(readdirSync(content)).toHaveLength(1)
    expect(readdirSync(join(directory, 'lost+found'))).toHaveLength(1)
  })

  test('is deleted if a file was deleted and the process ended before its content was', async () => {
    const id = await fill()
    const [name] = readdirSync(content)
    const service = await start()
    expect((await service.send('DELETE', `files/${id}`)).status).toBe(204)
    expect(readdirSync(content)).toEqual([])
    await service.close()
    writeFileSync(join(content, name!), LARGE)
    expect(await startAndEnd()).toEqual([])
    expect(readdirSync(content)).toEqual([])
    const store = openStore(directory)
    expect(store.all('SELECT * FROM deleted_content')).toEqual([])
    store.close()
  })

  test('is kept if an old database has it as an upload in progress', async () => {
    const service = await start()
    const query = {uploadType: 'resumable'}
    const started = await service.send('POST', '/upload/drive/v2/files', {query})
    await service.close()
    const putBack = backUp()
    const later = await start()
    const {pathname, search} = new URL(started.headers.get('location')!)
    expect((await later.send('PUT', pathname + search, {body: LARGE})).status).toBe(200)
    await later.close()
    const [name] = readdirSync(content)

    putBack()
    age(join(content, name!))
    expect(await startAndEnd(Date.now() + 8 * DAY)).toEqual([expect.stringContaining(name!)])
    expect(readFileSync(join(directory, 'lost+found', name!), 'utf8')).toBe(LARGE)
  })

  test('is not left behind by an operation refused at the end of an upload', async () => {
    const service = await start()
    const made = await service.json('POST', 'files', {body: {title: 'a'}})
    const started = await service.send('PUT', `/upload/drive/v2/files/${made.body.id}`, {
      query: {uploadType: 'resumable'},
    })
    await service.send('DELETE', `files/${made.body.id}`)
    const {pathname, search} = new URL(started.headers.get('location')!)
    expect((await service.send('PUT', pathname + search, {body: LARGE})).status).toBe(404)
    expect(readdirSync(content)).toEqual([])
  })
})

describe('a missing database', () => {
  const ways: Record<string, () => void> = {
    'is missing': () => undefined,
    'has no bytes': () => writeFileSync(join(directory, 'drv.db'), ''),
    'has no tables': () => makeDatabase('CREATE TABLE t (n); DROP TABLE t'),
    'has no rows': () => openDatabase(directory, layouts).close(),
  }
  test.each(Object.keys(ways))('%s: refused beside content, which is kept', async way => {
    await fill()
    const before = readdirSync(content)
    age(join(content, before[0]!))
    removeDatabase()
    ways[way]!()
    await expect(start()).rejects.toThrow(DataError)
    const {message, hint} = refusalOf()
    const database = join(directory, 'drv.db')
    expect(message).toRead()
    expect(message).toContain(content)
    expect(hint).toRead()
    expect(readdirSync(content)).toEqual(before)
    expect(existsSync(database)).toBe(way !== 'is missing')
  })

  test('is refused beside its log, which may have the last writes', () => {
    open()
    removeDatabase()
    writeFileSync(join(directory, 'drv.db-wal'), 'the last writes')
    expect(refusalOf().message).toContain('drv.db-wal')
    expect(readFileSync(join(directory, 'drv.db-wal'), 'utf8')).toBe('the last writes')
  })

  test('is repaired by a backup, also with one from before the mark file', async () => {
    makeOld()
    const putBack = backUp()
    await fill()
    const id = markedId()
    removeDatabase()
    refusalOf()
    putBack()
    expect(databaseId()).toBe(id)
  })

  test('is created again, with a notice, if no content exists', async () => {
    open()
    const id = markedId()
    removeDatabase()
    expect(await startAndEnd()).toEqual([expect.stringContaining(directory)])
    expect(databaseId()).toBe(id)
  })
})

describe('a directory', () => {
  test('that contains other files is refused, and nothing is written there', () => {
    writeFileSync(join(directory, 'letter.txt'), 'mine')
    mkdirSync(join(directory, 'photos'))
    mkdirSync(content)
    writeOld(join(content, 'mine.txt'), 'mine')
    const before = everything()
    const {message, hint} = refusalOf()
    expect(message).toRead()
    expect(hint).toRead()
    expect(everything()).toEqual(before)
    expect(readdirSync(directory).sort()).toEqual(['content', 'letter.txt', 'photos'])
  })

  test('whose database belongs to another program is refused, and the database is unchanged', () => {
    const database = join(directory, 'drv.db')
    makeDatabase('PRAGMA user_version = 9; CREATE TABLE notes (n)')
    chmodSync(database, 0o644)
    const before = everything()
    expect(refusalOf().message).toRead()
    expect(everything()).toEqual(before)
    expect(statSync(database).mode & 0o777).toBe(0o644)
  })

  test('whose content has no database and no mark is refused', () => {
    mkdirSync(content)
    writeOld(join(content, 'mine.txt'), 'mine')
    expect(refusalOf().message).toRead()
    expect(everything()).toEqual({[join(content, 'mine.txt')]: 'mine'})
  })

  test.each(['missing', 'empty', 'with the lost+found of a file system'])(
    '%s is accepted and marked',
    how => {
      if (how === 'missing') rmSync(directory, {recursive: true})
      if (how.startsWith('with')) mkdirSync(join(directory, 'lost+found'))
      open()
      expect(databaseId()).toBe(markedId())
    },
  )

  test('from before the mark file is marked, and its content is kept', async () => {
    makeOld()
    expect(await startAndEnd()).toEqual([])
    expect(databaseId()).toBe(markedId())
    expect(readdirSync(content)).toEqual(['known'])
  })

  test.each([
    ['a database without bytes', () => writeFileSync(join(directory, 'drv.db'), '')],
    ['a database without tables', () => makeDatabase('PRAGMA journal_mode = WAL')],
    ['tables without an ID', () => openDatabase(directory, layouts).close()],
    [
      'no mark but a draft of one',
      () => {
        open()
        const {content: files, close} = openStore(directory)
        const id = files.begin()
        close()
        const [draft] = readdirSync(content).filter(name => name.startsWith(id))
        renameSync(join(content, draft!), join(directory, draft!))
        rmSync(join(directory, MARK))
        age(join(directory, draft!))
      },
    ],
    [
      'a mark without a database',
      () => {
        open()
        removeDatabase()
      },
    ],
  ])('whose creation was interrupted, with %s, is accepted', async (_, interrupt) => {
    interrupt()
    await startAndEnd()
    expect(databaseId()).toBe(markedId())
    const names = Object.keys(everything()).map(path => basename(path))
    expect(names.sort()).toEqual([MARK, 'drv.db', 'drv.db-wal'].sort())
  })

  test.each([
    [{format: 1, id: 'another'}],
    [{format: 2, id: 'whatever'}],
    [{format: 1}],
    [null],
    [''],
  ])('with the mark %j is refused', mark => {
    open()
    writeFileSync(join(directory, MARK), mark === '' ? '' : JSON.stringify(mark))
    const before = everything()
    expect(refusalOf().message).toRead()
    expect(everything()).toEqual(before)
  })

  test('that was copied is accepted, also beside files of its user', async () => {
    await fill()
    const copy = mkdtempSync(join(tmpdir(), 'drv-'))
    onTestFinished(() => rmSync(copy, {recursive: true}))
    cpSync(directory, copy, {recursive: true})
    writeFileSync(join(copy, 'notes.txt'), 'mine')
    openStore(copy).close()
    open()
  })
})

test('several processes can create a directory at once', {timeout: 60_000}, async () => {
  const url = new URL('../../../src/lib/service/store/index.ts', import.meta.url).href
  // All start at the same moment, so that none finishes before another starts.
  const script = `
    const {openStore} = await import(${JSON.stringify(url)})
    process.stdout.write('ready')
    process.stdin.once('data', () => {
      for (let n = 0; n < 20; n++) {
        const store = openStore(process.argv[1] + '/' + n)
        process.stdout.write(' ' + store.get('SELECT id FROM data_directory').id)
        store.close()
      }
      process.exit()
    })`
  const children = Array.from({length: 4}, () => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', script, directory],
      {stdio: ['pipe', 'pipe', 'inherit']},
    )
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    return {child, text: () => text, ended: new Promise(settle => child.once('close', settle))}
  })
  await expect
    .poll(() => children.every(({text}) => text() === 'ready'), {timeout: 30_000})
    .toBe(true)
  for (const {child} of children) child.stdin.end('go')
  for (const {ended} of children) expect(await ended).toBe(0)
  const [first, ...others] = children.map(({text}) => text().split(' ').slice(1))
  expect(first).toHaveLength(20)
  for (const other of others) expect(other).toEqual(first)
  for (const [n, id] of first!.entries()) {
    const mark = JSON.parse(readFileSync(join(directory, String(n), MARK), 'utf8')) as {id: string}
    expect(mark.id).toBe(id)
  }
})

describe.skipIf(process.platform === 'win32')('all files are readable by their owner only', () => {
  const modes = () =>
    Object.fromEntries(
      files().map(path => [
        path.slice(directory.length + 1).replace(/content.*/, 'content'),
        (statSync(path).mode & 0o777).toString(8),
      ]),
    )

  test.each(['new', 'old'])('in a %s directory that everybody can read', async kind => {
    const umask = process.umask(0o022)
    onTestFinished(() => void process.umask(umask))
    chmodSync(directory, 0o755)
    if (kind === 'old') {
      makeOld()
      chmodSync(join(directory, 'drv.db'), 0o644)
      rmSync(content, {recursive: true})
    }
    const service = await start()
    await service.json('POST', '/upload/drive/v2/files', {body: LARGE})
    expect(modes()).toEqual({
      content: '600',
      'drv.db': '600',
      'drv.db-shm': '600',
      'drv.db-wal': '600',
      [MARK]: '600',
    })
  })

  test('including the files of an existing log', () => {
    const store = openStore(directory)
    onTestFinished(() => store.close())
    for (const path of databaseFiles()) chmodSync(path, 0o644)
    open()
    expect(Object.values(modes())).toEqual(['600', '600', '600', '600'])
  })
})
