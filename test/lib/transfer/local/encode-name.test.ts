import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {decodeName, encodeName, titleForName} from '#lib/transfer/local/encode-name.js'
import {isPart, partOf} from '#lib/transfer/target.js'

const PART = partOf('a.txt')

describe.each([
  ['elsewhere', false],
  ['on Windows', true],
])('a title as a file name %s', (_, isWindows) => {
  test.each([
    ['report.pdf', 'report.pdf'],
    ['a/b', 'a／b'],
    ['../../etc/passwd', '..／..／etc／passwd'],
    ['line\nbreak', 'line␊break'],
    ['a\r\n\tb', 'a␍␊␉b'],
    ['a\0b\u007f', 'a␀b␡'],
    ['a\u001b[2Jb', 'a␛[2Jb'],
    ['gpj.\u202eexe', 'gpj.‛202Eexe'],
    ['\ud800lone', '‛D800lone'],
    ['a／b', 'a‛／b'],
    ['␊', '‛␊'],
    ['‛tis', '‛tis'],
    ['‛/', '‛‛／'],
    ['‛', '‛‛'],
    ['‛BEEF', '‛‛BEEF'],
    ['', '‛'],
    ['NUL', '‛NUL'],
    ['con.txt', '‛con.txt'],
    ['‛NUL', '‛‛NUL'],
    ['.drv-trash', '‛.drv-trash'],
    ['.DRV-Trash', '‛.DRV-Trash'],
    [PART, `‛${PART}`],
  ])('%j is %j, and back', (title, name) => {
    expect(encodeName(title, isWindows)).toBe(name)
    expect(decodeName(name, isWindows)).toBe(title)
  })

  test.each(['‛0041', '‛000A', 'a‛', 'a‛‛b', '‛a'])(
    '%j, which no title leads to, stays itself',
    name => {
      expect(decodeName(name, isWindows)).toBe(name)
    },
  )

  const characters = fc.constantFrom(
    ...'ab.. /\\:*?"<>|\n\t\0\u007f\u0085\u202e‛‛‛／＼：␊␠．␡',
    ...['\ud800', '\udc00', '\u{1f642}', 'u\u0308', 'ü', '0041', 'D8', 'NUL', '.drv-trash', PART],
  )
  const titles = fc.oneof(
    fc.array(characters, {maxLength: 8}).map(some => some.join('')),
    fc.string({unit: 'binary'}),
    fc
      .array(fc.integer({min: 0, max: 0xffff}), {maxLength: 6})
      .map(some => String.fromCharCode(...some)),
  )
  const runs = {numRuns: 5000}

  test('every title has a unique name that maps back', () => {
    fc.assert(
      fc.property(titles, title => decodeName(encodeName(title, isWindows), isWindows) === title),
      runs,
    )
  })

  test('every name belongs to one title, which maps to it or equals it', () => {
    const isStable = (name: string) => {
      const title = decodeName(name, isWindows)
      return title === name || encodeName(title, isWindows) === name
    }
    fc.assert(fc.property(titles, isStable), runs)
  })

  test('no name contains special characters of a file system or a terminal', () => {
    const unsafe = isWindows ? /[\u0000-\u001f/\\:*?"<>|]|[. ]$/ : /[\u0000-\u001f/]/
    const isSafe = (title: string) => {
      const name = encodeName(title, isWindows)
      return !unsafe.test(name) && !/^\.{0,2}$/.test(name) && !/\p{Cs}/u.test(name) && !isPart(name)
    }
    fc.assert(fc.property(titles, isSafe), runs)
  })
})

test.each([
  ['12:30 a\\b*?.log', '12：30 a＼b＊？.log'],
  ['C:\\Windows\\x', 'C：＼Windows＼x'],
  ['ends with dot.', 'ends with dot．'],
  ['ends with blank ', 'ends with blank␠'],
  ['1．2', '1．2'],
  ['full．', 'full‛．'],
  ['..', '.．'],
  ['日本：東京', '日本‛：東京'],
])('%j is %j on Windows, and back', (title, name) => {
  expect(encodeName(title, true)).toBe(name)
  expect(decodeName(name, true)).toBe(title)
})

test.each(['日本：東京', '12:30 a\\b*?.log', 'a.', 'b '])('%j is a name elsewhere', name => {
  expect(encodeName(name, false)).toBe(name)
  expect(decodeName(name, false)).toBe(name)
})

test.each([
  ['.', '‛.'],
  ['..', '‛..'],
  ['...', '‛...'],
])('%j is %j elsewhere, and back', (title, name) => {
  expect(encodeName(title, false)).toBe(name)
  expect(decodeName(name, false)).toBe(title)
})

test('a name that stands for an empty title is a title itself', () => {
  expect(decodeName('‛', false)).toBe('')
  expect(titleForName('‛', false)).toBe('‛')
  expect(titleForName('tab␉here', false)).toBe('tab\there')
})
