import {expect, test} from 'vitest'
import {isDeeperThan} from '#lib/api/document/walk.js'

/** A number inside this many nested lists or objects. */
const nested = (levels: number) =>
  Array.from({length: levels}).reduce<unknown>(
    (inner, _, index) => (index % 2 ? [0, inner] : {a: inner}),
    1,
  )

test.each([0, 1, 2, 7, 200])('%i levels are counted', levels => {
  expect(isDeeperThan(nested(levels), levels)).toBe(false)
  expect(isDeeperThan(nested(levels + 1), levels)).toBe(true)
})

test('endless depth is detected without visiting it', () => {
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))
  expect(isDeeperThan(deep, 200)).toBe(true)
})

test('siblings take no extra memory', () => {
  const wide = {a: Array.from({length: 2_000_000}, () => 1)}
  const growth = () => {
    const before = process.memoryUsage().heapUsed
    expect(isDeeperThan(wide, 200)).toBe(false)
    return process.memoryUsage().heapUsed - before
  }
  // Other work of this process also allocates memory, but hardly every time.
  expect(Math.min(...Array.from({length: 5}, growth))).toBeLessThan(8 * 1024 * 1024)
})
