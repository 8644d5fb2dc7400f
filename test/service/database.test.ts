import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {openDatabase} from '../../src/lib/service/store/database.js'

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
