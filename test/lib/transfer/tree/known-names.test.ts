import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {readKnownNames, saveKnownNames} from '#lib/transfer/tree/known-names.js'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drv-names-'))
  file = join(folder, 'names/service.json')
})
afterEach(() => rmSync(folder, {recursive: true}))

const names = (...ids: string[]) => new Map(ids.map(id => [id, `name of ${id}`]))

test('names are added to known ones, readable by their owner only', async () => {
  await saveKnownNames(file, names('a', '__proto__'))
  await saveKnownNames(file, names('b'))
  expect(await readKnownNames(file)).toEqual(names('a', '__proto__', 'b'))
  expect(statSync(file).mode & 0o077).toBe(0)
})

test('two concurrent runs lose nothing', async () => {
  const all = Array.from({length: 10}, (_, index) => `id${index}`)
  await Promise.all(all.map(id => saveKnownNames(file, names(id))))
  expect((await readKnownNames(file)).size).toBe(10)
})

test.each(['', 'null', '[1]', '{"a":1}', '{"a":'])('%j contains no names', async text => {
  await saveKnownNames(file, names('a'))
  writeFileSync(file, text)
  expect([...(await readKnownNames(file)).keys()].filter(id => id === 'a')).toEqual([])
})

test('the latest ten thousand are kept', async () => {
  const ids = Array.from({length: 10_001}, (_, index) => `id${index}`)
  await saveKnownNames(file, names(...ids))
  const known = await readKnownNames(file)
  expect([known.size, known.has('id0'), known.has('id10000')]).toEqual([10_000, false, true])
  const before = readFileSync(file)
  await saveKnownNames(file, names('id5'))
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('works without a writable directory', async () => {
  expect(await readKnownNames(undefined)).toEqual(new Map())
  await saveKnownNames(undefined, names('a'))
  const lost: unknown[] = []
  writeFileSync(join(folder, 'in the way'), '')
  await saveKnownNames(join(folder, 'in the way/x.json'), names('a'), error => lost.push(error))
  expect(lost).toHaveLength(1)
})
