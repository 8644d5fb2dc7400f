import fc from 'fast-check'
import {expect, test} from 'vitest'
import {subtree} from '#lib/service/store/files/files.js'
import {audienceOf, audiencesOf} from '#lib/service/store/sharing/audience.js'
import {grant, openBench} from '../calls.js'

/** An item below one of the items before it. */
const item = fc.record({
  parent: fc.nat(),
  isAnnas: fc.boolean(),
  inherits: fc.boolean(),
  shared: fc.constantFrom<undefined | 'anna' | 'ben' | 'anyone'>(
    undefined,
    'anna',
    'ben',
    'anyone',
  ),
})

test('the audiences of a tree are those of its items', () => {
  fc.assert(
    fc.property(
      fc.array(item, {minLength: 1, maxLength: 12}),
      fc.boolean(),
      fc.nat(12),
      (items, startsBelow, start) => {
        const bench = openBench()
        try {
          bench.store.write(() => {
            for (const login of ['anna', 'ben']) bench.user(login)
            for (const [index, {parent, isAnnas, inherits, shared}] of items.entries()) {
              const folder = index === 0 ? {} : {parent: `item-${parent % index}`}
              const owner = isAnnas ? 'anna' : 'local'
              bench.folder({id: `item-${index}`, owner, inherits, ...folder})
              if (!shared) continue
              grant(
                bench,
                `item-${index}`,
                shared === 'anyone' ? {anyone: 'find'} : {login: shared},
              )
            }
          })
          const top = startsBelow ? `item-${start % items.length}` : 'item-0'
          const ids = subtree(bench.store, top)
          const each = new Map(ids.map(id => [id, audienceOf(bench.store, id)]))
          expect(audiencesOf(bench.store, ids)).toEqual(each)
        } finally {
          bench.close()
        }
      },
    ),
    {numRuns: 40},
  )
})
