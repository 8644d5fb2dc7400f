import fc from 'fast-check'
import {expect, test} from 'vitest'
import {createKeyIndex, createRepetitions} from '#lib/platform/key-index.js'

// These two have the same hash.
const KEYS = ['a', 'b', 'c', 'key 98547', 'key 170900']
const key = fc.constantFrom(...KEYS)

test('values are found by their keys', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), key)), edits => {
      const index = createKeyIndex<string>(value => value)
      const expected = new Set<string>()
      for (const [isAdded, one] of edits) {
        if (isAdded) index.add(one, one)
        else index.delete(one, one)
        if (isAdded) expected.add(one)
        else expected.delete(one)
        for (const other of KEYS) {
          expect(index.get(other)).toBe(expected.has(other) ? other : undefined)
        }
      }
    }),
  )
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
