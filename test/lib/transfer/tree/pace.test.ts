import {expect, test} from 'vitest'
import {afterRefusal, afterSuccess, firstPace, type Pace} from '#lib/transfer/many/pace.js'

/** Runs transfers against a service that handles `capacity` at once, each in 10 ms. */
function settle(capacity: number, transfers: number, fixed?: number): Pace {
  let pace = firstPace(0, fixed)
  let now = 0
  for (let done = 0; done < transfers; done++) {
    now += 10 / Math.min(pace.limit, capacity)
    pace = afterSuccess(pace, now)
  }
  return pace
}

test('the concurrency grows to the capacity of the service, and not far beyond', () => {
  expect(settle(1000, 2000).limit).toBe(64)
  const {limit} = settle(24, 2000)
  expect(limit).toBeGreaterThanOrEqual(24)
  expect(limit).toBeLessThanOrEqual(48)
})

test('it starts high, and doubles each round trip', () => {
  const limits = [0, 15, 16, 47, 48].map(transfers => settle(1000, transfers).limit)
  expect(limits).toEqual([16, 16, 32, 32, 64])
})

test('it stays at its start for a service that handles one request at a time', () => {
  expect(settle(1, 500).limit).toBe(16)
})

test('a refusal halves it, and concurrent refusals count once', () => {
  const before = settle(1000, 2000)
  const once = afterRefusal(before, 10_000)
  expect(once.limit).toBe(before.limit / 2)
  expect(afterRefusal(once, 10_500)).toBe(once)
  expect(afterRefusal(once, 11_000).limit).toBe(before.limit / 4)
})

test('it never falls below one', () => {
  let pace = firstPace(0)
  for (let now = 0; now < 20_000; now += 1000) pace = afterRefusal(pace, now)
  expect(pace.limit).toBe(1)
})

test('after a refusal it pauses, then grows in smaller steps', () => {
  let pace = afterRefusal(settle(1000, 2000), 10_000)
  const low = pace.limit
  let now = 10_000
  const window = () => {
    for (let done = low * 4; done > 0; done--) pace = afterSuccess(pace, (now += 1))
  }
  for (let rest = 8; rest > 0; rest--) window()
  expect(pace.limit).toBe(low)
  window()
  expect(pace.limit).toBe(low * 1.25)
})

test('a concurrency set by the user stays, except after refusals', () => {
  expect(settle(1000, 500, 6).limit).toBe(6)
  expect(afterRefusal(firstPace(0, 6), 5000).limit).toBe(3)
})
