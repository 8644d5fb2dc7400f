import {describe, expect, test} from 'vitest'
import {assignNames, localName} from '#lib/transfer/local/names.js'

const linux = {isWindows: false, isCaseSensitive: true}
const mac = {isWindows: false, isCaseSensitive: false}
const windows = {isWindows: true, isCaseSensitive: false}

describe('the local name of a title', () => {
  test.each([
    ['report.pdf', 'report.pdf'],
    ['.gitignore', '.gitignore'],
    ['Übersicht 2026 – 中文.txt', 'Übersicht 2026 – 中文.txt'],
    ['12:30 a\\b*?.log', '12:30 a\\b*?.log'],
    ['~draft', '~draft'],
    ['/etc/passwd', '／etc／passwd'],
    ['..', '‛..'],
    ['console', 'console'],
  ])('%j is %j', (title, name) => {
    expect(localName(title, linux)).toBe(name)
  })

  test('allows fewer characters on Windows', () => {
    expect(localName('12:30 a\\b*?.log', windows)).toBe('12：30 a＼b＊？.log')
  })

  test.each(['x'.repeat(300), `${'ä'.repeat(200)}.pdf`, '🙂'.repeat(100)])(
    'is cut between characters, before the extension, if it is too long',
    title => {
      const name = localName(title, linux)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
      expect(Buffer.byteLength(name)).toBeGreaterThan(250)
      expect(name.endsWith('.pdf')).toBe(title.endsWith('.pdf'))
      expect(name).not.toMatch(/\p{Cs}/u)
    },
  )
})

describe('names in one folder', () => {
  const entries = (...titles: string[]) => titles.map((title, index) => ({id: `id${index}`, title}))
  const namesOf = (some: ReturnType<typeof entries>, rules = linux, naming = {}) =>
    assignNames(some, rules, naming).map(({name}) => name)
  const names = (titles: string[], rules = linux) => namesOf(entries(...titles), rules)

  test('are the titles if these are safe', () => {
    expect(names(['a', 'A', 'b.txt'])).toEqual(['a', 'A', 'b.txt'])
  })

  test('other titles are other names', () => {
    expect(names(['a/b.txt', 'a_b.txt', 'a／b.txt'])).toEqual(['a／b.txt', 'a_b.txt', 'a‛／b.txt'])
  })

  test('if case or Unicode forms are ignored, the second one gets a number', () => {
    expect(names(['Makefile', 'makefile'], mac)).toEqual(['Makefile', 'makefile (1)'])
    expect(names(['\u00fc', 'u\u0308'], mac)).toEqual(['\u00fc', 'u\u0308 (1)'])
    expect(names(['\u00fc', 'u\u0308'])).toEqual(['\u00fc', 'u\u0308'])
  })

  test('do not depend on the order', () => {
    const some = entries('a/b', 'a_b', 'A_B', 'c', 'c', 'c (1)')
    const byId = (list: typeof some) =>
      Object.fromEntries(assignNames(list, mac).map(({entry, name}) => [entry.id, name]))
    expect(byId([...some].reverse())).toEqual(byId(some))
    expect(new Set(Object.values(byId(some)).map(name => name.toLowerCase())).size).toBe(6)
  })

  test('items of the same title are numbered by age, then by ID', () => {
    expect(names(['same.txt', 'same.txt', 'same.txt'])).toEqual([
      'same.txt',
      'same (1).txt',
      'same (2).txt',
    ])
    const young = [
      {id: 'a', title: 'x', created: 2},
      {id: 'b', title: 'x', created: 1},
    ]
    expect(namesOf(young)).toEqual(['x (1)', 'x'])
  })

  test('a title that looks like a numbered name keeps its name', () => {
    expect(names(['same.txt', 'same.txt', 'same (1).txt'])).toEqual([
      'same.txt',
      'same (2).txt',
      'same (1).txt',
    ])
  })

  test('a known name is kept, whatever is added or removed', () => {
    const known = new Map([
      ['id0', 'same.txt'],
      ['id1', 'same (1).txt'],
      ['id2', 'something else.txt'],
    ])
    const all = entries('same.txt', 'same.txt', 'same.txt', 'same (1).txt')
    const older = {id: '0', title: 'same.txt', created: 0}
    expect(namesOf([older, ...all], linux, {known})).toEqual([
      'same (2).txt',
      'same.txt',
      'same (1).txt',
      'same (3).txt',
      'same (1) (1).txt',
    ])
    expect(namesOf(all.slice(1, 2), linux, {known})).toEqual(['same (1).txt'])
  })

  test('a title that is too long has its ID in its name, so that others do not change it', () => {
    const long = [...entries(`${'x'.repeat(300)}.pdf`, `${'x'.repeat(301)}.pdf`)]
    const both = namesOf(long)
    expect(both[0]).toMatch(/^x+ \(id0\)\.pdf$/)
    expect(Buffer.byteLength(both[0]!)).toBe(255)
    expect(namesOf(long.slice(1))).toEqual(both.slice(1))
  })

  test('an ID is not a path either, and not too long', () => {
    const [name] = namesOf([{id: `../${'i'.repeat(300)}`, title: 'x'.repeat(300)}])
    expect(name).not.toContain('/')
    expect(Buffer.byteLength(name!)).toBe(255)
  })

  test('ten thousand items of the same title take no time', () => {
    const {user} = process.cpuUsage()
    const all = names(Array.from({length: 10_000}, () => 'same'))
    expect(new Set(all).size).toBe(10_000)
    expect(process.cpuUsage().user - user).toBeLessThan(2_000_000)
  })
})
