import {mkdtempSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect, test} from 'vitest'
import {openCheckpoint} from '../../../../src/lib/cli/many/checkpoint.js'
import type {Parsed} from '../../../../src/lib/cli/arguments/input.js'

const folder = mkdtempSync(join(tmpdir(), 'drv-'))
let count = 0
const newPath = () => join(folder, `checkpoint ${count++}`)
const about = {operation: 'files.trash', service: 'https://drive.example.com'}
const given = (id: string, flags: Parsed['flags'] = {}): Parsed => ({args: {file_id: id}, flags})

test('tells what is done and reserved, to its owner alone', async () => {
  const path = newPath()
  const first = await openCheckpoint(path, about)
  const [a, b] = [first.nameOf(given('A')), first.nameOf(given('B'))]
  await first.reserve([[b, 'ID']])
  await first.done(a)
  await first.close()
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const second = await openCheckpoint(path, about)
  expect(second.nameOf(given('A'))).toBe(a)
  expect([second.isDone(a), second.isDone(b)]).toEqual([true, false])
  expect([second.reserved(a), second.reserved(b)]).toEqual([undefined, 'ID'])
  await second.close()
})

test('the same thing given twice has two names, and how it is done makes none', async () => {
  const checkpoint = await openCheckpoint(newPath(), about)
  const names = [
    given('A'),
    given('A'),
    given('A', {title: 't'}),
    {...given('A'), document: {title: 't'}},
  ].map(one => checkpoint.nameOf(one))
  expect(new Set(names).size).toBe(4)
  await checkpoint.close()
  const again = await openCheckpoint(newPath(), about)
  const manner = {json: true, concurrency: '1', checkpoint: 'x', yes: true, 'limit-rate': '1M'}
  expect(again.nameOf(given('A', manner))).toBe(names[0])
  expect(again.nameOf({args: {file_id: 'A'}, flags: {title: undefined}})).toBe(names[1])
  await again.close()
})

test('a torn last line is none, and what follows stands on its own', async () => {
  const path = newPath()
  const first = await openCheckpoint(path, about)
  const [a, b] = [first.nameOf(given('A')), first.nameOf(given('B'))]
  await first.done(a)
  await first.close()
  writeFileSync(path, `${readFileSync(path, 'utf8')}{"done":"${b}`)
  const second = await openCheckpoint(path, about)
  expect([second.isDone(a), second.isDone(b)]).toEqual([true, false])
  await second.done(b)
  await second.close()
  const third = await openCheckpoint(path, about)
  expect(third.isDone(b)).toBe(true)
  await third.close()
})

test('one of another operation, another service or something else is refused and stays', async () => {
  const path = newPath()
  await (await openCheckpoint(path, about)).close()
  const before = readFileSync(path, 'utf8')
  await expect(openCheckpoint(path, {...about, operation: 'files.delete'})).rejects.toThrow(
    'is the checkpoint of files.trash at https://drive.example.com',
  )
  await expect(openCheckpoint(path, {...about, service: 'x'})).rejects.toThrow('checkpoint of')
  expect(readFileSync(path, 'utf8')).toBe(before)
  for (const text of ['{"title": "x"}\n', 'id,title\n', '\n']) {
    writeFileSync(path, text)
    await expect(openCheckpoint(path, about)).rejects.toThrow('is no checkpoint')
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
})

test('two at once are refused, and a failed one leaves no lock', async () => {
  const path = newPath()
  const first = await openCheckpoint(path, about)
  await expect(openCheckpoint(path, about)).rejects.toThrow('is in use by another drv')
  await first.close()
  await expect(openCheckpoint(path, {...about, service: 'x'})).rejects.toThrow()
  await (await openCheckpoint(path, about)).close()
  await expect(openCheckpoint(folder, about)).rejects.toThrow('Cannot read')
})
