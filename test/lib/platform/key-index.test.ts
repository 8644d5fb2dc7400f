import fc from 'fast-check'
import {expect, test} from 'vitest'
import {createKeyIndex, createRepetitions} from '#lib/platform/key-index.js'

// The last two have the same hash with this seed.
const SEED = 0x811c9dc5
const KEYS = ['a', 'b', 'c', 'key 98547', 'key 170900']
const key = fc.constantFrom(...KEYS)

test('numbers are found by their keys', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), key)), edits => {
      const index = createKeyIndex(number => KEYS[number], SEED)
      const expected = new Set<string>()
      for (const [isAdded, one] of edits) {
        if (isAdded) index.add(one, KEYS.indexOf(one))
        else index.delete(one, KEYS.indexOf(one))
        if (isAdded) expected.add(one)
        else expected.delete(one)
        for (const [number, other] of KEYS.entries()) {
          expect(index.get(other)).toBe(expected.has(other) ? number : undefined)
        }
      }
    }),
  )
})

test('an index grows, and places of removed numbers are used again', () => {
  const keyOf = (number: number) => `key ${number}`
  const index = createKeyIndex(keyOf)
  const isIn = (number: number) => number % 3 > 0 || number >= 4000
  for (let number = 0; number < 5000; number++) {
    index.add(keyOf(number), number)
    index.add(keyOf(number), number)
    const removed = number - 1000
    if (!isIn(removed)) index.delete(keyOf(removed), removed)
  }
  for (let number = 0; number < 5000; number++) {
    expect(index.get(keyOf(number))).toBe(isIn(number) ? number : undefined)
  }
})

test('repetitions are passed once', () => {
  fc.assert(
    fc.property(fc.array(key), keys => {
      const {saw, isAgain} = createRepetitions()
      for (const one of keys) saw(one)
      expect(keys.filter(one => !isAgain(one))).toEqual([...new Set(keys)])
    }),
  )
})
