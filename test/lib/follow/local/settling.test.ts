import {expect, test} from 'vitest'
import {settle, type Sighting} from '#lib/follow/local/settling.js'

const NONE = new Map<string, Sighting>()
const marks = (given: Record<string, string>) => new Map(Object.entries(given))

test('one look settles nothing, whatever the time of a file', () => {
  const {settled, wait} = settle(NONE, marks({a: 'x'}), 5000)
  expect([...settled]).toEqual([])
  expect(wait).toBe(1000)
})

test('a path settles when nothing about it has changed for a second', () => {
  const first = settle(NONE, marks({a: 'x', b: 'x'}), 0)
  const second = settle(first.sightings, marks({a: 'x', b: 'y'}), 600)
  expect([...second.settled]).toEqual([])
  expect(second.wait).toBe(400)
  const third = settle(second.sightings, marks({a: 'x', b: 'y'}), 1000)
  expect([...third.settled]).toEqual(['a'])
  expect(third.wait).toBe(600)
})

test('a path that comes back starts anew', () => {
  const first = settle(NONE, marks({a: 'x'}), 0)
  const without = settle(first.sightings, marks({}), 500)
  expect(without.sightings.size).toBe(0)
  expect([...settle(without.sightings, marks({a: 'x'}), 1000).settled]).toEqual([])
})

test('a clock that was set back settles nothing early and holds nothing for long', () => {
  const first = settle(NONE, marks({a: 'x'}), 100_000)
  const back = settle(first.sightings, marks({a: 'x'}), 1000)
  expect([...back.settled]).toEqual([])
  expect([...settle(back.sightings, marks({a: 'x'}), 2000).settled]).toEqual(['a'])
})
