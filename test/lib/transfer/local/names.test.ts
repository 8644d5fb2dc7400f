import {describe, expect, test} from 'vitest'
import {assignNames, localName} from '../../../../src/lib/transfer/local/names.js'

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
    ['', '_'],
    ['.', '_.'],
    ['..', '_..'],
    ['...', '_...'],
    ['/', '_'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['/etc/passwd', '_etc_passwd'],
    ['a\0b', 'a_b'],
    ['a\u001b[2Jb', 'a_[2Jb'],
    ['line\nbreak', 'line_break'],
    ['gpj.\u202eexe', 'gpj._exe'],
    ['\ud800lone', '_lone'],
    ['NUL', '_NUL'],
    ['con.txt', '_con.txt'],
    ['COM1.tar.gz', '_COM1.tar.gz'],
    ['console', 'console'],
    ['.drv-trash', '_.drv-trash'],
  ])('%j is %j', (title, name) => {
    expect(localName(title, linux)).toBe(name)
  })

  test.each([
    ['12:30 a\\b*?.log', '12_30 a_b__.log'],
    ['ends with dot.', 'ends with dot_'],
    ['ends with blank ', 'ends with blank_'],
    ['C:\\Windows\\x', 'C__Windows_x'],
  ])('%j is %j on Windows', (title, name) => {
    expect(localName(title, windows)).toBe(name)
  })

  test.each(['x'.repeat(300), `${'ä'.repeat(200)}.pdf`, '🙂'.repeat(100)])(
    'what is too long is cut between characters, before its ending',
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
  const names = (titles: string[], rules = linux) =>
    assignNames(entries(...titles), rules).named.map(({name}) => name)

  test('are the titles where these are safe', () => {
    expect(names(['a', 'A', 'b.txt'])).toEqual(['a', 'A', 'b.txt'])
  })

  test('who has the name by right keeps it; the other one gets its ID', () => {
    expect(names(['a/b.txt', 'a_b.txt'])).toEqual(['a_b (id0).txt', 'a_b.txt'])
  })

  test('where capitals do not count, both get their IDs', () => {
    expect(names(['Makefile', 'makefile'], mac)).toEqual(['Makefile (id0)', 'makefile (id1)'])
  })

  test('do not depend on the order', () => {
    const some = entries('a/b', 'a_b', 'A_B', 'c')
    const forward = assignNames(some, mac).named
    const backward = assignNames([...some].reverse(), mac).named
    const byId = (list: typeof forward) =>
      Object.fromEntries(list.map(({entry, name}) => [entry.id, name]))
    expect(byId(backward)).toEqual(byId(forward))
    expect(new Set(forward.map(({name}) => name.toLowerCase())).size).toBe(4)
  })

  test('are never the same, even where a title is what an ID leads to', () => {
    const all = names(['x/y', 'x?y', 'x_y (id0)', 'x_y (id1)'], windows)
    expect(new Set(all).size).toBe(4)
  })

  test('two things of one title have none', () => {
    const {named, doubles} = assignNames(entries('a', 'b', 'a'), linux)
    expect(named.map(({name}) => name)).toEqual(['b'])
    expect(doubles.map(group => group.map(({id}) => id))).toEqual([['id0', 'id2']])
  })
})
