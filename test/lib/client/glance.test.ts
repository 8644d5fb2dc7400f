import {expect, test} from 'vitest'
import {createGlance} from '../../../src/lib/client/glance.js'

let clock = 0
let reads = 0
const glance = () =>
  createGlance(
    () => clock,
    async () => ++reads,
  )

test.each([
  {name: 'a moment later', later: 49, read: 1},
  {name: 'later', later: 50, read: 2},
  {name: 'when the clock was set back', later: -1, read: 2},
])('$name it is read $read times', async ({later, read}) => {
  clock = 1000
  reads = 0
  const look = glance()
  expect(await look()).toBe(1)
  clock += later
  expect(await Promise.all([look(), look()])).toEqual([read, read])
})
