import fc from 'fast-check'
import {expect, test} from 'vitest'
import type {ItemState} from '#lib/follow/known.js'
import {createKnownStates} from '#lib/follow/known-states.js'

const id = fc.integer({min: 0, max: 30}).map(String)
const edit = fc.oneof(fc.record({id, title: fc.string()}), fc.record({id}))

test('states are known like those of a map, whether they fit into memory or not', () => {
  fc.assert(
    fc.property(fc.array(edit, {maxLength: 200}), fc.integer({min: 0, max: 20}), (edits, most) => {
      const known = createKnownStates(most)
      const expected = new Map<string, ItemState>()
      for (const one of edits) {
        if ('title' in one) {
          const state = {title: one.title, mimeType: 'text/plain', parents: ['top']}
          known.set(one.id, state)
          expected.set(one.id, state)
        } else {
          known.delete(one.id)
          expected.delete(one.id)
        }
      }
      expect(Array.from(known.ids(), name => [name, known.get(name)])).toEqual([...expected])
      expect(known.size).toBe(expected.size)
      known.close()
    }),
  )
})

test('outdated states do not fill the disk', () => {
  const known = createKnownStates(0)
  for (let count = 0; count < 250_000; count++) {
    known.set(String(count % 10), {title: String(count), mimeType: 'text/plain', parents: []})
  }
  expect(Array.from(known.ids(), name => known.get(name)?.title)).toEqual(
    Array.from({length: 10}, (_, index) => String(249_990 + index)),
  )
  known.close()
})
