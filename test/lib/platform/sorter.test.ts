import {readdirSync} from 'node:fs'
import {tmpdir} from 'node:os'
import fc from 'fast-check'
import {expect, test} from 'vitest'
import {createSorter} from '#lib/platform/sorter.js'
import {createSpill} from '#lib/platform/spill.js'

interface Item {
  readonly key: number
  readonly text: string
}
const items = fc.array(fc.record({key: fc.integer({min: 0, max: 9}), text: fc.string()}), {
  maxLength: 300,
})

test('values are sorted like an array, whether they fit into memory or not', () => {
  fc.assert(
    fc.property(items, fc.integer({min: 1, max: 50}), (all, runSize) => {
      const compare = (one: Item, other: Item) => one.key - other.key
      const sorter = createSorter(compare, runSize)
      for (const item of all) sorter.add(item)
      expect([...sorter.sorted()]).toEqual([...all].sort(compare))
      sorter.close()
    }),
  )
})

test('each list of a spill is found again, in memory, before it is written and after', () => {
  const spill = createSpill<Item>(10)
  const lists = Array.from({length: 2000}, (_, key) =>
    Array.from({length: key % 7}, () => ({key, text: 'ä'.repeat(key)})),
  )
  const places = lists.map(list => spill.add(list))
  expect(places.map(place => spill.at(place))).toEqual(lists)
  expect(places[3]).toEqual(lists[3])
  expect(places[1999]).toHaveProperty('start')
  spill.close()
})

test('the temporary file has no name', () => {
  const before = readdirSync(tmpdir())
  const spill = createSpill<string>(0)
  const place = spill.add(['x'.repeat(1_000_000)])
  expect(spill.at(place)).toHaveLength(1)
  expect(
    readdirSync(tmpdir()).filter(name => !before.includes(name) && /^drv-[\da-f]{8}-/.test(name)),
  ).toEqual([])
  spill.close()
})

test('without a place for a temporary file, everything stays in memory', () => {
  const {TMPDIR} = process.env
  process.env.TMPDIR = '/nonexistent'
  try {
    const spill = createSpill<string>(0)
    const places = ['a', 'b', 'c'].map(text => spill.add([text.repeat(200_000)]))
    expect(places.map(place => spill.at(place)[0]![0])).toEqual(['a', 'b', 'c'])
    spill.close()
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
})
