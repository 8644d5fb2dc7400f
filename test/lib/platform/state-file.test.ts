import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {
  isExpired,
  isFresh,
  jsonStateFormat,
  mapFormat,
  nameFromKey,
  removeFiles,
  stateFile,
  timeFormat,
  writtenAt,
} from '#lib/platform/state-file.js'

let home: string
let file: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'drv-state-'))
  file = join(home, 'state/one.json')
})
afterEach(() => rmSync(home, {recursive: true}))

const isWord = (value: unknown) => typeof value === 'string'
const words = (at: string | undefined = file) => stateFile({file: at, ...jsonStateFormat(isWord)})

test.each([
  {time: 1000, now: 1000, fresh: true, expired: false},
  {time: 1000, now: 1099, fresh: true, expired: false},
  {time: 1000, now: 1100, fresh: false, expired: false},
  {time: 1000, now: 1101, fresh: false, expired: true},
  // The clock was set back.
  {time: 1000, now: 999, fresh: false, expired: false},
  {time: NaN, now: 1000, fresh: false, expired: false},
])('of $time at $now: fresh $fresh, expired $expired', ({time, now, fresh, expired}) => {
  expect(isFresh(time, now, 100)).toBe(fresh)
  expect(isExpired(time, now, 100)).toBe(expired)
})

test('a name distinguishes keys without containing them', () => {
  const keys = ['a', 'a\nb', ['a'], ['a', 'b'], ['ab'], ['a\nb'], ['', 'ab']]
  expect(new Set(keys.map(key => nameFromKey(key))).size).toBe(keys.length)
  expect(nameFromKey('abc')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
  expect(nameFromKey(['work', 'local'], 16)).toMatch(/^[\da-f]{16}$/)
})

test('a state is read back, and readable by its owner only', async () => {
  expect(words().read()).toBeUndefined()
  expect(await writtenAt(file)).toBeUndefined()
  await words().write('one')
  expect(words().read()).toBe('one')
  expect(await writtenAt(file)).toBe(statSync(file).mtimeMs)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
  expect(readdirSync(dirname(file))).toEqual(['one.json'])
  expect([await words().remove(), await words().remove()]).toEqual([true, false])
})

describe('an invalid text is not a state', () => {
  const formats = {
    word: jsonStateFormat(isWord),
    time: timeFormat,
    map: mapFormat(isWord),
  }
  test.each([
    ['word', '"a"', 'a'],
    ['word', '1', undefined],
    ['word', '"a', undefined],
    ['word', '', undefined],
    ['time', '12', 12],
    ['time', '"12"', undefined],
    ['time', '', undefined],
    [
      'map',
      '{"a":"b","c":1,"__proto__":"d"}',
      new Map([...Object.entries({a: 'b'}), ['__proto__', 'd']]),
    ],
    ['map', '[1]', new Map()],
    ['map', '', new Map()],
  ] as const)('%s: %s', async (name, text, expected) => {
    const format = formats[name] as ReturnType<typeof jsonStateFormat>
    await words().write('')
    writeFileSync(file, text)
    const state = stateFile({file, ...format})
    expect(state.read()).toEqual(expected)
    if (expected === undefined) return
    await state.write(expected)
    expect(state.read()).toEqual(expected)
  })
})

test('concurrent changes lose nothing, and without a change nothing is written', async () => {
  const names = stateFile({file, ...mapFormat(isWord)})
  const all = Array.from({length: 10}, (_, index) => `name${index}`)
  await Promise.all(
    all.map(name => names.update((known = new Map()) => new Map([...known, [name, name]]))),
  )
  expect(names.read()?.size).toBe(10)
  const before = readFileSync(file)
  const {ino} = statSync(file)
  await names.update(() => undefined)
  expect([readFileSync(file).equals(before), statSync(file).ino]).toEqual([true, ino])
})

test('without a directory, there is no state', async () => {
  const nowhere = stateFile({file: undefined, ...jsonStateFormat(isWord)})
  await nowhere.write('one')
  await nowhere.update(() => 'two')
  expect(await nowhere.locked(async () => 'done')).toBe('done')
  expect([nowhere.read(), nowhere.readOrThrow()]).toEqual(Array(2).fill(undefined))
  expect(await nowhere.remove()).toBe(false)
})

test('without read or write access, only strict functions fail', async () => {
  const inside = words(join(home, 'in the way', 'x.json'))
  writeFileSync(join(home, 'in the way'), '')
  await inside.tryWrite('one')
  await expect(inside.write('one')).rejects.toMatchObject({code: 'ENOTDIR'})
  expect(inside.read()).toBeUndefined()
  expect(() => inside.readOrThrow()).toThrow('ENOTDIR')
  const directory = words(home)
  expect(directory.read()).toBeUndefined()
  expect(() => directory.readOrThrow()).toRead()
  await expect(directory.remove()).rejects.toRead()
})

test('expired files are removed, and a missing directory has none', async () => {
  for (const name of ['old', 'new']) await words(join(home, 'many', name)).write(name)
  await removeFiles(join(home, 'many'), path => words(path).read() === 'old')
  expect(readdirSync(join(home, 'many'))).toEqual(['new'])
  await removeFiles(join(home, 'missing'), () => expect.unreachable())
})
