import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {type Database, openDatabase} from '../../src/lib/service/store/database.js'
import {createWriteTogether} from '../../src/lib/service/store/together.js'

test('more statements than are kept still all work, also those that made room', () => {
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

describe('writes together', () => {
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

  test('share one transaction, and each is done whole or not at all', async () => {
    let transactions = 0
    const together = createWriteTogether({
      ...database,
      write(work) {
        transactions++
        return database.write(work)
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

  test('nobody is told of a success before it is on the disk, and all hear of a failure', async () => {
    const together = createWriteTogether({
      ...database,
      write(work) {
        return database.write(() => {
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

  test('a transaction that is lost is a failure for all of it', async () => {
    const together = createWriteTogether(database)
    const outcomes = await Promise.allSettled([
      together(() => insert(1)),
      together(() => {
        // As SQLite does when the disk is full.
        database.run('ROLLBACK')
        throw new Error('the disk is full')
      }),
      together(() => insert(3)),
    ])
    expect(outcomes.map(({status}) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(numbers()).toEqual([])
  })
})
