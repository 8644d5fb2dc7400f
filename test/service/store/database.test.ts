import {mkdtempSync, readdirSync, renameSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {handlers} from '#lib/service/handlers/index.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {createRequestHandler} from '#lib/service/server/request-handler.js'
import {startServer} from '#lib/service/server/server.js'
import {type Database, openDatabase} from '#lib/service/store/database/database.js'
import {createSync} from '#lib/service/store/database/slices.js'
import {createWriteTogether, openStore} from '#lib/service/store/index.js'
import {ensureUser} from '#lib/service/store/users.js'

test('more statements than are cached still work, including evicted ones', () => {
  const directory = mkdtempSync(join(tmpdir(), 'drv-'))
  const database = openDatabase(directory, ['CREATE TABLE numbers (n INTEGER)'])
  try {
    const ask = (n: number) => database.get<{answer: number}>(`SELECT ${n} AS answer`)!.answer
    const numbers = Array.from({length: 1200}, (_, n) => n)
    expect(numbers.map(ask)).toEqual(numbers)
    expect(numbers.map(ask)).toEqual(numbers)
  } finally {
    database.close()
    rmSync(directory, {recursive: true, force: true})
  }
})

describe('concurrent writes', () => {
  let directory: string
  let database: Database
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'drv-'))
    database = openDatabase(directory, ['CREATE TABLE numbers (n INTEGER NOT NULL)'])
  })
  afterEach(() => {
    database.close()
    rmSync(directory, {recursive: true, force: true})
  })
  const insert = (n: number | null) => {
    database.run('INSERT INTO numbers VALUES (:n)', {n})
    return n
  }
  const numbers = () => database.all<{n: number}>('SELECT n FROM numbers').map(({n}) => n)

  test('share one transaction, and each is done completely or not at all', async () => {
    let transactions = 0
    const together = createWriteTogether({
      ...database,
      writeAhead(work) {
        transactions++
        return database.writeAhead(work)
      },
    })
    const outcomes = await Promise.allSettled([
      together(() => insert(1)),
      together(() => {
        insert(2)
        throw new Error('refused')
      }),
      together(() => insert(null)),
      together(() => insert(4)),
    ])
    expect(outcomes).toMatchObject([
      {value: 1},
      {reason: {message: 'refused'}},
      {reason: {message: expect.stringContaining('NOT NULL')}},
      {value: 4},
    ])
    expect(numbers()).toEqual([1, 4])
    expect(transactions).toBe(1)
    await together(() => insert(5))
    expect(transactions).toBe(2)
  })

  test('report success only after it is on disk, and all report a failure', async () => {
    const together = createWriteTogether({
      ...database,
      writeAhead(work) {
        return database.writeAhead(() => {
          work()
          throw new Error('the disk is full')
        })
      },
    })
    const outcomes = await Promise.allSettled([
      together(() => insert(1)),
      together(() => {
        throw new Error('refused')
      }),
    ])
    expect(
      outcomes.map(outcome => outcome.status === 'rejected' && outcome.reason.message),
    ).toEqual(['the disk is full', 'the disk is full'])
    expect(numbers()).toEqual([])
  })

  test('wait for the disk, while the next ones are written', async () => {
    const turns: Array<() => void> = []
    const together = createWriteTogether({
      ...database,
      sync: () => new Promise(resolve => turns.push(resolve)),
    })
    const told: number[] = []
    const write = (n: number) => together(() => insert(n)).then(() => told.push(n))
    const first = write(1)
    await expect.poll(numbers).toEqual([1])
    const second = write(2)
    await expect.poll(numbers).toEqual([1, 2])
    expect(told).toEqual([])
    turns[0]!()
    await first
    expect(told).toEqual([1])
    turns[1]!()
    await second
    expect(told).toEqual([1, 2])
  })

  test('all fail if the disk accepts nothing', async () => {
    const together = createWriteTogether({
      ...database,
      sync: () => Promise.reject(new Error('the disk is broken')),
    })
    await expect(together(() => insert(1))).rejects.toRead()
  })

  test('all fail if the transaction is lost', async () => {
    const together = createWriteTogether(database)
    const outcomes = await Promise.allSettled([
      together(() => insert(1)),
      together(() => {
        // Like SQLite on a full disk.
        database.run('ROLLBACK')
        throw new Error('the disk is full')
      }),
      together(() => insert(3)),
    ])
    expect(outcomes.map(({status}) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(numbers()).toEqual([])
  })
})

test('a flush serves the writes before its start; the others share the next one', async () => {
  const turns: Array<{settle(): void; fail(error: Error): void}> = []
  const sync = createSync(
    () => new Promise((settle, fail) => turns.push({settle: () => settle(), fail})),
  )
  const done: string[] = []
  const ask = (name: string) => sync().then(() => done.push(name))
  const first = ask('first')
  const others = Promise.all([ask('second'), ask('third')])
  expect(turns).toHaveLength(1)
  turns[0]!.settle()
  await first
  expect(done).toEqual(['first'])
  await expect.poll(() => turns).toHaveLength(2)
  turns[1]!.settle()
  await others
  const failing = ask('fourth')
  const after = ask('fifth')
  turns[2]!.fail(new Error('broken'))
  await expect(failing).rejects.toThrow('broken')
  await expect.poll(() => turns).toHaveLength(4)
  turns[3]!.settle()
  await after
  expect(done).toEqual(['first', 'second', 'third', 'fifth'])
})

test('a failed flush is retried, and closing does not report it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'drv-'))
  const database = openDatabase(directory, ['CREATE TABLE numbers (n INTEGER NOT NULL)'])
  const [log, aside] = [join(directory, 'drv.db-wal'), join(directory, 'aside')]
  try {
    // Like with too many open files.
    renameSync(log, aside)
    await expect(database.sync()).rejects.toMatchObject({code: 'ENOENT'})
    renameSync(aside, log)
    await database.sync()
    renameSync(log, aside)
  } finally {
    database.close()
    rmSync(directory, {recursive: true, force: true})
  }
})

test('content of a request that failed only at the flush is kept, because its rows exist', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'drv-'))
  const real = openStore(directory)
  const sync = () => Promise.reject(new Error('the disk is broken'))
  const store = {...real, sync, writeTogether: createWriteTogether({...real, sync})}
  const broken: unknown[] = []
  const context = {store, handlers, clock: () => 0, log: (error: unknown) => broken.push(error)}
  const server = await startServer(createRequestHandler(context), {
    host: '127.0.0.1',
    port: 0,
    log: () => {},
  })
  try {
    const user = ensureUser(real, 'local', 0)
    const token = mintToken(real, {user, scopes: scopes('drive')}, 0)
    const upload = async (query: string, type: string) => {
      const {status} = await fetch(`${server.url}/upload/drive/v2/files?uploadType=media${query}`, {
        method: 'POST',
        headers: {authorization: `Bearer ${token}`, 'content-type': type},
        body: 'a,b\n'.repeat(10_000),
      })
      expect(status).toBe(500)
    }
    await upload('', 'text/plain')
    await upload('&convert=true', 'text/csv')
    expect(broken).toHaveLength(2)
    const rows = real.all<{id: string}>('SELECT id FROM blobs ORDER BY id')
    expect(rows.length).toBeGreaterThanOrEqual(2)
    const files = readdirSync(join(directory, 'content'))
    expect(files).toEqual(expect.arrayContaining(rows.map(({id}) => id)))
  } finally {
    await server.close()
    real.close()
    rmSync(directory, {recursive: true, force: true})
  }
})
