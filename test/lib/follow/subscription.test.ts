import {beforeEach, describe, expect, test} from 'vitest'
import type {CallInput} from '#lib/client/client.js'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import type {ChannelNotification, ExpectedChannel} from '#lib/follow/receiver.js'
import {
  lifetimeLeft,
  type OpenedChannel,
  renewalDelay,
  retryPause,
  subscribe,
  type SubscriptionOptions,
} from '#lib/follow/subscription.js'
import {manualClock} from './manual-clock.js'

const NOW = Date.UTC(2026, 10, 23)
const MINUTE = 60_000
const down = () => new NetworkError('Cannot connect.', 'http://127.0.0.1')

describe('the lifetime of a channel', () => {
  test('is the time until it expires, unless the service has another clock', () => {
    expect(lifetimeLeft(NOW + 5000, NOW, 10_000)).toBe(5000)
    expect(lifetimeLeft(undefined, NOW, 10_000)).toBe(10_000)
    expect(lifetimeLeft(NOW - 1, NOW, 10_000)).toBe(10_000)
    expect(lifetimeLeft(NOW + 20_000, NOW, 10_000)).toBe(10_000)
  })

  test('ends with time for a renewal', () => {
    expect(renewalDelay(10_000)).toBe(8000)
    expect(renewalDelay(60 * MINUTE)).toBe(50 * MINUTE)
    expect(renewalDelay(7 * 24 * 60 * MINUTE)).toBe(7 * 24 * 60 * MINUTE - 10 * MINUTE)
  })

  test('pauses after failures grow to five minutes', () => {
    expect([1, 2, 3, 6, 20].map(retryPause)).toEqual([10_000, 20_000, 40_000, 300_000, 300_000])
  })
})

describe('a subscription', () => {
  let clock: ReturnType<typeof manualClock>
  let log: string[]
  let expected: Map<string, ExpectedChannel>
  let tokens: string[]
  let notified: ChannelNotification[]
  let opened: OpenedChannel[]
  /** Thrown by the next calls, in order. */
  let failures: unknown[]
  beforeEach(() => {
    clock = manualClock(NOW)
    log = []
    expected = new Map()
    tokens = []
    notified = []
    opened = []
    failures = []
  })

  const client = {
    async call(id: string, {body = {}}: CallInput) {
      log.push(`${id} ${String(body.id)}`)
      const failure = failures.shift()
      if (failure) throw failure
      if (id === 'channels.stop') return undefined
      tokens.push(String(body.token))
      const ttl = Number((body.params as {ttl: string}).ttl)
      return {id: body.id, resourceId: 'r', expiration: String(clock.now() + ttl * 1000)}
    },
  }

  async function open(options: Partial<SubscriptionOptions> = {}) {
    let ids = 0
    const subscription = subscribe({
      call: client.call,
      id: 'changes.watch',
      input: {params: {}, body: {}},
      address: 'https://a.example/',
      receiver: {
        url: '',
        expect: channel => void expected.set(channel.id, channel),
        forget: id => void expected.delete(id),
        refused: () => 0,
        close: async () => undefined,
      },
      now: clock.now,
      sleep: clock.sleep,
      newId: () => `c${(ids += 1)}`,
      onNotification: notification => void notified.push(notification),
      onOpen: channel => void opened.push(channel),
      onFailure: (error, isLost) => {
        log.push(`${(error as Error).message} ${isLost ? 'lost' : 'kept'}`)
        return true
      },
      ...options,
    })
    await subscription.first
    return subscription
  }

  const notify = (channel: string, number?: number) =>
    expected.get(channel)?.onNotification({
      ...{channel, resourceId: 'r', state: 'change', changed: [], number},
    })

  test('has a random token of 256 bits, and never the same one', async () => {
    const {close} = await open()
    await clock.advance(60 * MINUTE)
    await close()
    expect(new Set(tokens).size).toBe(2)
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/)
  })

  test('is renewed before it expires, with both channels open for a moment', async () => {
    const {close} = await open()
    await clock.advance(50 * MINUTE - 1)
    expect(log).toEqual(['changes.watch c1'])
    await clock.advance(1)
    expect(log).toEqual(['changes.watch c1', 'changes.watch c2', 'channels.stop c1'])
    expect([...expected.keys()]).toEqual(['c2'])
    expect(opened.map(({id}) => id)).toEqual(['c1', 'c2'])
    await close()
    expect(log.at(-1)).toBe('channels.stop c2')
    expect([...expected.keys()]).toEqual([])
    await clock.advance(600 * MINUTE)
    expect(log).toHaveLength(4)
  })

  test('is renewed after a laptop slept past the end of the channel', async () => {
    const {close} = await open()
    clock.jump(600 * MINUTE)
    await clock.advance(MINUTE)
    expect(log.at(-1)).toBe('channels.stop c1')
    await close()
  })

  test('accepts a notification once, also before the response to its request', async () => {
    const early = {
      async call(id: string, input: CallInput) {
        if (id === 'changes.watch') notify(String(input.body?.id), 1)
        return client.call(id, input)
      },
    }
    const {close} = await open({call: early.call})
    for (const number of [2, 2, 1, 3]) notify('c1', number)
    notify('c1')
    notify('c1')
    expect(notified.map(({number}) => number)).toEqual([1, 2, 3, undefined, undefined])
    await close()
  })

  test('is tried again while it cannot be renewed, and is lost when the channel expires', async () => {
    const {close} = await open()
    failures = Array.from({length: 7}, down)
    await clock.advance(50 * MINUTE)
    expect(log.slice(1)).toEqual(['changes.watch c2', 'Cannot connect. kept'])
    await clock.advance(10 * MINUTE - 1)
    expect(log.filter(line => line.endsWith('kept'))).toHaveLength(6)
    expect(log).not.toContain('Cannot connect. lost')
    await clock.advance(1)
    expect(log.at(-1)).toBe('Cannot connect. lost')
    // The channel is no longer accepted, and not stopped, because it has expired.
    expect(expected.has('c1')).toBe(false)
    await clock.advance(5 * MINUTE)
    expect(log.at(-1)).toBe('changes.watch c9')
    await close()
    expect(log.at(-1)).toBe('channels.stop c9')
  })

  test('ends after a failure that is final', async () => {
    failures = [new ServiceError(400, 'push.webhookUrlNotHttps', 'No.')]
    const {close} = await open({onFailure: () => false})
    await clock.advance(600 * MINUTE)
    await close()
    expect(log).toEqual(['changes.watch c1'])
    expect([...expected.keys()]).toEqual([])
  })

  test('stops a channel whose response was lost, when its first notification arrives', async () => {
    failures = [down()]
    const {close} = await open()
    expect(log).toEqual(['changes.watch c1', 'Cannot connect. lost'])
    notify('c1', 1)
    await clock.settle()
    expect(log.at(-1)).toBe('channels.stop c1')
    expect(notified).toEqual([])
    await clock.advance(10_000)
    expect(opened.map(({id}) => id)).toEqual(['c2'])
    await close()
  })

  test('stops a channel whose notification came before its response was lost', async () => {
    const lost = {
      async call(id: string, input: CallInput) {
        await client.call(id, input)
        if (id !== 'changes.watch') return undefined
        notify(String(input.body?.id), 1)
        throw down()
      },
    }
    const {close} = await open({call: lost.call, onFailure: () => false})
    await clock.settle()
    expect(log).toEqual(['changes.watch c1', 'channels.stop c1'])
    await close()
  })

  test('is renewed at once on request', async () => {
    const {renew, close} = await open()
    renew()
    await clock.settle()
    expect(log).toEqual(['changes.watch c1', 'changes.watch c2', 'channels.stop c1'])
    await clock.advance(49 * MINUTE)
    expect(log).toHaveLength(3)
    await close()
  })

  test('does not wait long for a service that does not respond at the end', async () => {
    const silent = {
      call: (id: string, input: CallInput) =>
        id === 'channels.stop' ? new Promise<undefined>(() => undefined) : client.call(id, input),
    }
    const {close} = await open({call: silent.call})
    let isClosed = false
    const closing = close().then(() => (isClosed = true))
    await clock.advance(4999)
    expect(isClosed).toBe(false)
    await clock.advance(1)
    await closing
  })
})
