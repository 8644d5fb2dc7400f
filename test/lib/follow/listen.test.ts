import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import type {CallInput} from '#lib/client/client.js'
import {NetworkError, ServiceError} from '#lib/client/errors.js'
import {listen, type Listener} from '#lib/follow/listen.js'
import {changesSince} from '#lib/follow/poll.js'
import type {ExpectedChannel} from '#lib/follow/receiver.js'
import {createWake} from '#lib/follow/wake.js'
import {randomOf} from '../../support/random.js'
import {manualClock} from './manual-clock.js'

const NOW = Date.UTC(2026, 10, 23)
const MINUTE = 60_000

/** A follower of a service that sends notifications to it. */
function startFollower() {
  const clock = manualClock(NOW)
  const changes: string[] = []
  const channels = new Map<string, number>()
  const expected = new Map<string, ExpectedChannel>()
  const states: string[] = []
  const found: string[] = []
  const requests = {list: 0, watch: 0, stop: 0}
  let ids = 0
  let isOver = false
  const world = {
    clock,
    changes,
    channels,
    states,
    found,
    requests,
    /** Whether notifications arrive. */
    isConnected: true,
    watchFailure: undefined as unknown,
    listFailure: undefined as unknown,
    expected,
    /** Milliseconds that a notification takes. */
    latency: 10,
    change(id: string) {
      changes.push(id)
      for (const channel of channels.keys()) notify(channel, 'change')
    },
    listener: undefined as unknown as Listener,
    async end() {
      await world.listener.close()
      isOver = true
      wake.wake()
      await clock.settle()
    },
  }
  const wake = createWake()

  function notify(id: string, state: string): void {
    if (!world.isConnected) return
    void clock.sleep(world.latency).then(() => {
      const isOpen = (channels.get(id) ?? 0) > clock.now()
      if (isOpen)
        expected.get(id)?.onNotification({channel: id, resourceId: 'r', state, changed: []})
    })
  }

  const client = {
    async call(id: string, {params, body = {}}: CallInput) {
      if (id === 'changes.list') {
        requests.list += 1
        if (world.listFailure) throw world.listFailure
        const from = Number(params.pageToken)
        const items = changes.slice(from).map(change => ({id: change}))
        return {items, newStartPageToken: String(changes.length)}
      }
      if (id === 'channels.stop') {
        requests.stop += 1
        channels.delete(String(body.id))
        return undefined
      }
      requests.watch += 1
      if (world.watchFailure) throw world.watchFailure
      const expires = clock.now() + Number((body.params as {ttl: string}).ttl) * 1000
      channels.set(String(body.id), expires)
      notify(String(body.id), 'sync')
      return {id: body.id, resourceId: 'r', expiration: String(expires)}
    },
  }

  async function run(): Promise<void> {
    const {now, sleep} = clock
    world.listener = listen({
      ...{now, sleep, wake, call: client.call, params: {}, address: 'https://a.example/'},
      receiver: {
        url: '',
        expect: channel => void expected.set(channel.id, channel),
        forget: id => void expected.delete(id),
        refused: () => 0,
        close: async () => undefined,
      },
      newId: () => `c${(ids += 1)}`,
      onOpen: () => undefined,
      onState: state => void states.push(state),
    })
    const polling = {client, pageToken: '0', sleep, wake, limits: world.listener.limits}
    for await (const page of changesSince(polling)) {
      if (isOver || 'expired' in page) return
      world.listener.polled(page.changes.length > 0)
      found.push(...page.changes.map(({id}) => String(id)))
    }
  }
  return {...world, world, run}
}

let follower: ReturnType<typeof startFollower>
beforeEach(() => {
  follower = startFollower()
})
afterEach(() => follower.world.end())

async function started() {
  void follower.run()
  await follower.clock.advance(1000)
  return follower
}

describe('a follower that listens', () => {
  test('hears of a change at once, and asks once a minute otherwise', async () => {
    const {world, clock, found, requests, states} = await started()
    const before = requests.list
    await clock.advance(30 * MINUTE)
    expect(requests.list - before).toBeLessThanOrEqual(31)
    world.change('a')
    await clock.advance(world.latency + 1)
    expect(found).toEqual(['a'])
    expect(states).toEqual([])
    await clock.advance(600 * MINUTE)
    expect(requests.watch).toBe(1 + Math.floor(630 / 50))
    expect(follower.channels.size).toBe(1)
  })

  test('takes over changes from before the channel was open', async () => {
    follower.world.change('a')
    await started()
    expect(follower.found).toEqual(['a'])
  })

  test('asks again and again once notifications stop, and listens again when they arrive', async () => {
    const {world, clock, found, states} = await started()
    world.isConnected = false
    world.change('a')
    await clock.advance(MINUTE)
    expect(found).toEqual(['a'])
    await clock.advance(MINUTE)
    expect(states).toEqual(['silent'])
    world.change('b')
    await clock.advance(MINUTE)
    world.change('c')
    // After a change, it asks every few seconds.
    await clock.advance(15_000)
    expect(found).toEqual(['a', 'b', 'c'])
    world.isConnected = true
    await clock.advance(60 * MINUTE)
    expect(states).toEqual(['silent', 'working'])
  })

  test('asks as without a channel if none of its notifications arrives', async () => {
    follower.world.isConnected = false
    const {clock, states, world, found} = await started()
    await clock.advance(MINUTE)
    expect(states).toEqual(['silent'])
    world.change('a')
    await clock.advance(MINUTE)
    expect(found).toEqual(['a'])
    expect(states).toEqual(['silent'])
  })

  test('asks if the service refuses the channel, and does not try again', async () => {
    follower.world.watchFailure = new ServiceError(400, 'push.webhookUrlNotHttps', 'No.')
    const {clock, states, world, found, requests} = await started()
    world.change('a')
    await clock.advance(60 * MINUTE)
    expect(found).toEqual(['a'])
    expect(states).toEqual(['refused'])
    expect(requests.watch).toBe(1)
  })

  test('opens a new channel if the one it had was stopped elsewhere', async () => {
    const {clock, states, world, found, channels, requests} = await started()
    channels.clear()
    world.change('a')
    await clock.advance(2 * MINUTE)
    expect(requests.watch).toBe(2)
    expect(states).toEqual(['silent', 'working'])
    world.change('b')
    await clock.advance(world.latency + 1)
    expect(found).toEqual(['a', 'b'])
  })

  test('listens again after the service was away for longer than the channel lasts', async () => {
    const {clock, states, world, found} = await started()
    world.watchFailure = world.listFailure = new NetworkError('x', 'http://a', {
      cause: Object.assign(new Error('x'), {code: 'ECONNREFUSED'}),
    })
    await clock.advance(61 * MINUTE)
    expect(states).toEqual(['lost'])
    world.change('a')
    world.watchFailure = world.listFailure = undefined
    await clock.advance(6 * MINUTE)
    expect(found).toEqual(['a'])
    expect(states).toEqual(['lost', 'working'])
  })

  test('stops its channel at the end', async () => {
    const {world, channels} = await started()
    await world.end()
    expect([...channels.keys()]).toEqual([])
  })
})

test('every change is handed over once and in order, whatever happens to notifications', async () => {
  const {world, clock, changes, found, channels} = await started()
  const random = randomOf(1)
  const outage = new NetworkError('x', 'http://a', {
    cause: Object.assign(new Error('x'), {code: 'ECONNREFUSED'}),
  })
  for (let step = 0; step < 400; step += 1) {
    const dice = random()
    if (dice < 0.6) world.change(String(step))
    else if (dice < 0.7) world.isConnected = !world.isConnected
    else if (dice < 0.75) channels.clear()
    else if (dice < 0.8) world.watchFailure = world.watchFailure ? undefined : outage
    else if (dice < 0.85) world.listFailure = world.listFailure ? undefined : outage
    else if (dice < 0.9) world.latency = Math.floor(random() * 30_000)
    await clock.advance(Math.floor(random() ** 3 * 10 * MINUTE))
  }
  world.listFailure = undefined
  await clock.advance(2 * MINUTE)
  expect(found).toEqual(changes)
  expect(changes.length).toBeGreaterThan(200)
})
