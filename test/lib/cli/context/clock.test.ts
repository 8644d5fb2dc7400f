import {expect, test} from 'vitest'
import {clockOf} from '#lib/cli/context/local-service.js'

const NOON = Date.parse('2026-11-23T12:00:00Z')
const DAY = 86_400_000

test.each([
  ['+2d', NOON + 2 * DAY],
  ['+30m', NOON + 30 * 60_000],
  ['-1h', NOON - 3_600_000],
  ['2027-03-01T12:00:00Z', Date.parse('2027-03-01T12:00:00Z')],
])('--clock %s sets the time, which then advances', (flag, expected) => {
  let now = NOON
  const clock = clockOf(flag, () => now)!
  expect(clock()).toBe(expected)
  now += 5000
  expect(clock()).toBe(expected + 5000)
})

test('without --clock the service uses the time of the machine', () => {
  expect(clockOf(undefined, Date.now)).toBeUndefined()
})

test.each(['', '2d', '+2', 'someday', '+2q'])('--clock %j is refused', flag => {
  expect(() => clockOf(flag, Date.now)).toThrow(/^Invalid --clock /)
})
