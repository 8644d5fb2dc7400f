import {beforeEach, expect, test} from 'vitest'
import {
  createDeliveryMonitor,
  DELIVERY_PATIENCE,
  type DeliveryMonitor,
} from '#lib/follow/delivery.js'

let time: number
let states: string[]
let monitor: DeliveryMonitor
beforeEach(() => {
  time = 1000
  states = []
  monitor = createDeliveryMonitor({now: () => time, onState: state => void states.push(state)})
})

test('polling is rare only once something has arrived', () => {
  expect(monitor.isReliable()).toBe(false)
  monitor.notified(false)
  expect(monitor.isReliable()).toBe(true)
  expect(states).toEqual([])
})

test('without a first notification, polling takes over, which is said once', () => {
  monitor.polled(false)
  time += DELIVERY_PATIENCE + 1
  monitor.polled(false)
  monitor.polled(true)
  expect([monitor.state(), monitor.isReliable()]).toEqual(['silent', false])
  expect(states).toEqual(['silent'])
  monitor.notified(true)
  expect(states).toEqual(['silent', 'working'])
})

test('a notification announces the changes of the requests after it', () => {
  monitor.notified(true)
  monitor.polled(true)
  // It came before a request that does not see its change yet.
  monitor.notified(true)
  monitor.polled(false)
  monitor.polled(true)
  expect(monitor.isReliable()).toBe(true)
})

test('a change without a notification makes polling frequent until one arrives', () => {
  monitor.notified(false)
  time += 60_000
  monitor.polled(true)
  expect(monitor.isReliable()).toBe(false)
  time += 1000
  monitor.notified(true)
  expect(monitor.isReliable()).toBe(true)
  expect(states).toEqual([])
})

test('if none arrives, polling takes over', () => {
  monitor.notified(false)
  time += 60_000
  monitor.polled(true)
  time += DELIVERY_PATIENCE
  monitor.polled(false)
  expect(states).toEqual([])
  time += 1
  monitor.polled(false)
  expect(states).toEqual(['silent'])
})

test('a lost or refused channel is said once', () => {
  monitor.failed('lost', new Error('x'))
  monitor.failed('lost', new Error('x'))
  expect(monitor.isReliable()).toBe(false)
  monitor.notified(false)
  expect(states).toEqual(['lost', 'working'])
})
