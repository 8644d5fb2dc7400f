import {expect, test} from 'vitest'
import {type Impact, impactText} from '#lib/cli/guard/targets.js'

test.each<[Impact, string]>([
  [{names: [], count: 0}, '0 items'],
  [{names: ['a.txt'], count: 1, bytes: 2048}, '1 item (2.0 KiB): a.txt'],
  [{names: ['a', 'b'], count: 2}, '2 items: a, b'],
  [{names: ['a', 'b', 'c', 'd', 'e', 'f'], count: 6}, '6 items: a, b, c, d, e, …'],
  [{names: ['a'], count: 1000}, '1,000 items: a, …'],
  [{names: ['a'], count: 1001, bytes: 1}, 'more than 1,000 items (1 B): a, …'],
  [{names: ['a'], count: 1000, isMore: true}, 'more than 1,000 items: a, …'],
  [{names: ['a'], count: 37, isMore: true, bytes: 10}, 'at least 37 items (at least 10 B): a, …'],
])('%j', (going, text) => {
  expect(impactText(going)).toBe(text)
})

test('control characters of a name are removed', () => {
  expect(impactText({names: ['a\u001b[2J\nb'], count: 1})).not.toMatch(/[\u001b\n]/)
})
