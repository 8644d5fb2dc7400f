import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setImmediate} from 'node:timers/promises'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {
  type Database,
  openDatabase,
  openMemoryDatabase,
} from '#lib/service/store/database/database.js'
import {inSlices, type Slices} from '#lib/service/store/database/slices.js'
import {createWriteTogether} from '#lib/service/store/index.js'

describe('a write in slices', () => {
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

  const insert = (connection: Database, n: number) =>
    connection.run('INSERT INTO numbers VALUES (:n)', {n})
  const numbers = () => database.all<{n: number}>('SELECT n FROM numbers').map(({n}) => n)
  /** The rows that others see before each slice. */
  let seen: number[][]
  beforeEach(() => void (seen = []))

  function* count(connection: Database, to: number, pause: 'continue' | 'commitPoint'): Slices {
    for (let n = 1; n <= to; n++) {
      seen.push(numbers())
      insert(connection, n)
      if (n < to) yield pause
    }
  }

  test('becomes visible as a whole', async () => {
    await database.writeInSlices(connection => count(connection, 4, 'continue'))
    expect(seen).toEqual([[], [], [], []])
    expect(numbers()).toEqual([1, 2, 3, 4])
  })

  test('stays one transaction without other writes, even if it could be split', async () => {
    await database.writeInSlices(connection => count(connection, 3, 'commitPoint'))
    expect(seen).toEqual([[], [], []])
  })

  test('lets other writes run at a pause that is safe', async () => {
    const together = createWriteTogether(database)
    let before: number[] = []
    let inserting: Promise<unknown> | undefined
    function* counting(connection: Database): Slices {
      for (const pause of count(connection, 100, 'commitPoint')) {
        inserting ??= together(() => {
          before = numbers()
          insert(database, 0)
        })
        yield pause
      }
    }
    const done = database.writeInSlices(counting)
    await done
    await inserting
    expect(before.length).toBeGreaterThan(0)
    expect(before.length).toBeLessThan(100)
    expect(numbers()).toHaveLength(101)
  })

  test('makes others wait until its end if it is not', async () => {
    const together = createWriteTogether(database)
    const done = database.writeInSlices(connection => count(connection, 100, 'continue'))
    await expect.poll(() => seen.length, {interval: 1}).toBeGreaterThan(0)
    await together(() => insert(database, 0))
    expect(numbers()).toHaveLength(101)
    expect(numbers().at(-1)).toBe(0)
    await done
  })

  test.each<[string, (n: number) => unknown]>([
    ['a statement', n => insert(database, n)],
    ['a transaction', n => database.write(() => insert(database, n))],
    [
      'a statement that gives rows back',
      n => database.get('INSERT INTO numbers VALUES (:n) RETURNING n', {n}),
    ],
  ])('gives way to %s that cannot wait', async (_, write) => {
    const done = database.writeInSlices(connection => count(connection, 50, 'continue'))
    await expect.poll(() => seen.length, {interval: 1}).toBeGreaterThan(0)
    const before = seen.length
    write(0)
    expect(before).toBeLessThan(50)
    expect(numbers()).toHaveLength(51)
    await done
    expect(numbers()).toHaveLength(51)
  })

  test('leaves nobody waiting if another write ended it', async () => {
    const together = createWriteTogether(database)
    const done = database.writeInSlices(connection => count(connection, 50, 'continue'))
    await expect.poll(() => seen.length, {interval: 1}).toBeGreaterThan(0)
    const waiting = together(() => insert(database, -1))
    await setImmediate()
    insert(database, 0)
    await waiting
    await done
    expect(numbers().slice(50)).toEqual([0, -1])
  })

  test('leaves nothing if it fails, and others continue', async () => {
    const together = createWriteTogether(database)
    const failing = database.writeInSlices(function* (connection): Slices {
      yield* count(connection, 3, 'continue')
      throw new Error('refused')
    })
    const next = database.writeInSlices(connection => count(connection, 2, 'continue'))
    await expect(failing).rejects.toThrow('refused')
    await next
    await together(() => insert(database, 9))
    expect(numbers()).toEqual([1, 2, 9])
  })

  test('returns its result', async () => {
    const sum = await database.writeInSlices(function* (): Slices<number> {
      let total = 0
      yield* inSlices(
        Array.from({length: 250}, (_, n) => n),
        some => (total += some.length),
      )
      return total
    })
    expect(sum).toBe(250)
  })
})

describe('a write in slices in memory', () => {
  let database: Database
  beforeEach(() => {
    database = openMemoryDatabase(['CREATE TABLE numbers (n INTEGER NOT NULL)'])
  })
  afterEach(() => database.close())

  const insert = (n: number) => database.run('INSERT INTO numbers VALUES (:n)', {n})
  const numbers = () => database.all<{n: number}>('SELECT n FROM numbers').map(({n}) => n)

  function* count(from: number, to: number, pause: 'continue' | 'commitPoint'): Slices {
    for (let n = from; n <= to; n++) {
      insert(n)
      if (n < to) yield pause
    }
  }

  /** The rows that others see until the work is done. */
  async function seenDuring(done: Promise<unknown>): Promise<string[]> {
    const seen = new Set<string>()
    let isOver = false
    void done.catch(() => undefined).finally(() => (isOver = true))
    while (!isOver) {
      seen.add(numbers().join(' '))
      await setImmediate()
    }
    return [...seen].filter(rows => rows !== '')
  }

  test('lets others run at commit points only', async () => {
    const done = database.writeInSlices(function* () {
      yield* count(1, 3, 'continue')
      yield 'commitPoint'
      yield* count(4, 5, 'continue')
    })
    expect(await seenDuring(done)).toEqual(['1 2 3'])
    expect(numbers()).toEqual([1, 2, 3, 4, 5])
  })

  test('lets other writes run in between', async () => {
    const done = database.writeInSlices(() => count(1, 100, 'commitPoint'))
    await expect.poll(numbers, {interval: 1}).toContain(1)
    await createWriteTogether(database)(() => insert(0))
    expect(numbers().indexOf(0)).toBeLessThan(100)
    await done
    expect(numbers()).toHaveLength(101)
  })

  test('keeps what it committed if it fails, and others continue', async () => {
    const failing = database.writeInSlices(function* (): Slices {
      yield* count(1, 2, 'continue')
      yield 'commitPoint'
      yield* count(3, 4, 'continue')
      throw new Error('refused')
    })
    const next = database.writeInSlices(() => count(5, 6, 'commitPoint'))
    await expect(failing).rejects.toThrow('refused')
    await next
    expect(numbers()).toEqual([1, 2, 5, 6])
  })
})
