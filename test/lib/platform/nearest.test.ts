import {expect, test} from 'vitest'
import {nearest} from '#lib/platform/nearest.js'

const names = ['files list', 'files get', 'files insert', 'drives list', 'about get']

test('two swapped letters are one mistake', () => {
  expect(nearest('titel', ['title', 'file'])).toBe('title')
})

test('one letter gets no suggestion', () => {
  expect(nearest('h', ['q', 'all'])).toBeUndefined()
})

test.each([
  ['files lst', 'files list'],
  ['file list', 'files list'],
  ['FILES LIST', 'files list'],
  ['drive list', 'drives list'],
  ['files inser', 'files insert'],
  ['quite something else', undefined],
  ['', undefined],
])('%s -> %s', (word, expected) => {
  expect(nearest(word, names)).toBe(expected)
})

test('candidates of other lengths and very long words take almost no time', () => {
  const huge = 'quarterly '.repeat(1_500_000)
  const many = Array.from(
    {length: 20_000},
    (_, at) => `a title of some forty letters, number ${at}`,
  )
  const started = process.cpuUsage()
  const memory = process.memoryUsage().rss
  expect(nearest('quarterly-report-2026-final.pdf', [huge, ...many])).toBeUndefined()
  expect(nearest(huge, [huge.toUpperCase(), 'quarterly'])).toBeUndefined()
  expect(nearest('x'.repeat(100_000), ['y'.repeat(100_000)])).toBeUndefined()
  const {user, system} = process.cpuUsage(started)
  expect(user + system).toBeLessThan(3_000_000)
  expect(process.memoryUsage().rss - memory).toBeLessThan(100 * 1024 * 1024)
})

test('the number of edits is limited, however long the words are', () => {
  expect(nearest('quarterly-reprot.pdf', ['quarterly-report.pdf'])).toBe('quarterly-report.pdf')
  expect(nearest('abcdef', ['xbcxef'])).toBe('xbcxef')
  expect(nearest('abcdef', ['xbcxex'])).toBeUndefined()
  expect(nearest('abcdef', ['abcdefgh'])).toBe('abcdefgh')
  expect(nearest('abcdef', ['abcdefghi'])).toBeUndefined()
})
