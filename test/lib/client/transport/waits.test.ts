import {describe, expect, test} from 'vitest'
import {createWaits, type TimedStep} from '#lib/client/transport/waits.js'

/** Waits on a fake clock; returns the notices with their times in seconds. */
function start() {
  const told: string[] = []
  const timers: Array<{at: number; work: () => void}> = []
  let time = 0
  const waits = createWaits({
    now: () => time,
    later: (milliseconds, work) => void timers.push({at: time + milliseconds, work}),
    tell: (what, milliseconds) => told.push(`${time / 1000}: ${what} for ${milliseconds / 1000}`),
  })
  return {
    waits,
    told,
    timers,
    /** Advances the clock to a second. */
    until(second: number) {
      for (;;) {
        const next = timers.sort((a, b) => a.at - b.at)[0]
        if (!next || next.at > second * 1000) break
        timers.shift()
        time = next.at
        next.work()
      }
      time = second * 1000
    },
  }
}

test('a wait of ten seconds is reported once', () => {
  const {waits, told, until} = start()
  waits.begin(() => 'a')
  until(9.9)
  expect(told).toEqual([])
  until(100)
  expect(told).toEqual(['10: a for 10'])
})

test('the notice names the wait at that time', () => {
  const {waits, told, until} = start()
  let what = 'a proxy'
  waits.begin(() => what)
  what = 'an answer'
  until(20)
  expect(told).toEqual(['10: an answer for 10'])
})

test('any data restarts the wait, and it may be reported again', () => {
  const {waits, told, until} = start()
  const wait = waits.begin(() => 'a')
  until(9)
  wait.renew()
  until(18)
  wait.renew()
  expect(told).toEqual([])
  until(30)
  wait.renew()
  until(50)
  expect(told).toEqual(['28: a for 10', '40: a for 10'])
})

test('our own work and finished requests are not waits', () => {
  const {waits, told, until} = start()
  const paused = waits.begin(() => 'a')
  const ended = waits.begin(() => 'b')
  until(5)
  paused.pause()
  ended.end()
  until(60)
  expect(told).toEqual([])
  paused.renew()
  until(80)
  expect(told).toEqual(['70: a for 10'])
})

test('concurrent waits are one line', () => {
  const {waits, told, until} = start()
  for (let n = 0; n < 64; n++) {
    until(n / 100)
    waits.begin(() => `wait ${n}`)
  }
  until(100)
  expect(told).toEqual(['10: wait 0 for 10', '20: wait 1 for 19.99'])
})

test('without waits there is no timer', () => {
  const {waits, timers, until} = start()
  for (let n = 0; n < 1000; n++) waits.begin(() => 'a').end()
  expect(timers).toHaveLength(1)
  until(60)
  expect(timers).toEqual([])
})

test('the longest wait is known', () => {
  const {waits, until} = start()
  expect(waits.longest()).toBeUndefined()
  const first = waits.begin(() => 'a')
  until(1)
  waits.begin(() => 'b')
  expect(waits.longest()).toBe('a')
  first.pause()
  expect(waits.longest()).toBe('b')
})

/** A step of a series that takes until `end` is called. */
function stepOf(step: TimedStep): {end: () => Promise<void>} {
  let end = () => {}
  const done = step(() => new Promise<void>(resolve => (end = resolve)))
  return {
    end: async () => {
      end()
      await done
    },
  }
}

describe('a series', () => {
  test('is one wait after its first step, reported once', async () => {
    const {waits, told, until} = start()
    const step = waits.series(() => 'a list')
    for (let second = 1; second <= 40; second++) {
      const {end} = stepOf(step)
      until(second)
      await end()
    }
    expect(told).toEqual(['11: a list for 10'])
  })

  test('is not a wait after its last step, and restarts after a second', async () => {
    const {waits, told, until} = start()
    const step = waits.series(() => 'a list')
    await stepOf(step).end()
    const second = stepOf(step)
    expect(waits.longest()).toBe('a list')
    until(9)
    await second.end()
    expect(waits.longest()).toBeUndefined()
    until(10.5)
    const late = stepOf(step)
    expect(waits.longest()).toBeUndefined()
    until(60)
    await late.end()
    expect(told).toEqual([])
  })

  test('restarts when results are shown, and is reported again', async () => {
    const {waits, told, until} = start()
    const step = waits.series(() => 'a list')
    for (let second = 1; second <= 60; second++) {
      const {end} = stepOf(step)
      until(second)
      await end()
      if (second <= 20 || second === 40) waits.shown()
    }
    expect(told).toEqual(['31: a list for 10', '51: a list for 10'])
  })

  test('may have concurrent and failing steps', async () => {
    const {waits, told, until} = start()
    const step = waits.series(() => 'a list')
    const many = Array.from({length: 8}, () => stepOf(step))
    until(1)
    await many[0]!.end()
    await expect(step(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    until(11)
    expect(told).toEqual(['11: a list for 10'])
    for (const {end} of many.slice(1)) await end()
    expect(waits.longest()).toBeUndefined()
  })
})
