import {expect, test} from 'vitest'
import {nearest} from '../../../../src/lib/cli/arguments/nearest.js'

const names = ['files list', 'files get', 'files insert', 'drives list', 'about get']

test('two letters that changed places are one mistake', () => {
  expect(nearest('titel', ['title', 'file'])).toBe('title')
})

test('one letter is no hint', () => {
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
