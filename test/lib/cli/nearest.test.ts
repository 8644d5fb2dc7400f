import {expect, test} from 'vitest'
import {nearest} from '../../../src/lib/cli/nearest.js'

const names = ['files list', 'files get', 'files insert', 'drives list', 'about get']

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
