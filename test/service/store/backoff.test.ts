import {expect, test} from 'vitest'
import {nextAttempt, outcomeOf} from '#lib/service/store/channels.js'

test.each([
  [200, 'delivered'],
  [201, 'delivered'],
  [202, 'delivered'],
  [204, 'delivered'],
  [102, 'delivered'],
  [500, 'retry'],
  [502, 'retry'],
  [503, 'retry'],
  [504, 'retry'],
  [undefined, 'retry'],
  [302, 'dropped'],
  [400, 'dropped'],
  [404, 'dropped'],
  [410, 'dropped'],
  [501, 'dropped'],
] as const)('a reply of %s is %s', (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome)
})

test.each([
  [1, 0, 1000],
  [2, 0, 2000],
  [4, 0, 8000],
  [4, 0.5, 9000],
  [14, 0, 600_000],
  [15, 0, undefined],
])('after %i failed attempts, random number %d: %s ms', (attempts, chance, delay) => {
  expect(nextAttempt(attempts, 5, chance)).toBe(delay === undefined ? undefined : 5 + delay)
})
