import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {afterEach, beforeEach, expect, test} from 'vitest'
import {createClient} from '#lib/client/index.js'
import {createAgents} from '#lib/client/transport/agents.js'
import {createTransport} from '#lib/client/transport/transport.js'
import {listen, type Listener} from '#lib/follow/listen.js'
import {changesSince} from '#lib/follow/poll.js'
import {type NotificationReceiver, openReceiver} from '#lib/follow/receiver.js'
import {createWake} from '#lib/follow/wake.js'
import {readFaultPlan} from '#lib/service/faults/read.js'
import {startTestService, type TestService} from '../../service/harness.js'

/** A follower and the service in one process, whose clocks run faster than the real one. */

const SPEED = 200
const MINUTE = 60_000
const LIFETIME = 2 * MINUTE

const started = performance.now()
const now = () => Date.UTC(2026, 10, 23) + Math.round((performance.now() - started) * SPEED)
const sleep = (milliseconds: number, signal?: AbortSignal) =>
  wait(milliseconds / (isStopping ? 1 : SPEED), undefined, {signal}).catch(() => undefined)

let data: string
let service: TestService
let receiver: NotificationReceiver
let states: string[]
let found: string[]
/** Whether notifications arrive. */
let isConnected: boolean
/** Whether the follower ends; it waits for its last requests at the speed of the real clock. */
let isStopping: boolean
let stop: () => Promise<void>

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'drv-listen-'))
  states = []
  found = []
  isConnected = true
  isStopping = false
  receiver = await openReceiver({host: '127.0.0.1', port: 0})
})
afterEach(async () => {
  await stop()
  await receiver.close()
  await service.close()
  rmSync(data, {recursive: true})
})

async function start(rules?: readonly object[], port = 0): Promise<void> {
  const send: typeof fetch = (...request) =>
    isConnected ? fetch(...request) : Promise.resolve(new Response())
  const faults = rules && readFaultPlan(JSON.stringify({seed: 1, rules}))
  service = await startTestService({data, port, fetch: send, faults})
  Object.defineProperty(service.clock, 'now', {get: now})
}

const restart = async () => {
  await service.close()
  await start(undefined, Number(new URL(service.url).port))
}

/** Follows the service until `stop`. */
async function follow(): Promise<void> {
  const token = service.token('local', ['drive'])
  const {body} = await service.json('GET', 'changes/startPageToken')
  const agents = createAgents({})
  const client = createClient({
    baseUrl: service.url,
    token: async () => token,
    send: createTransport(agents),
  })
  const wake = createWake()
  const listener: Listener = listen({
    ...{call: client.call, params: {}, receiver, address: receiver.url},
    ...{wake, now, sleep, lifetime: LIFETIME},
    newId: () => crypto.randomUUID(),
    onOpen: () => undefined,
    onState: state => void states.push(state),
  })
  let isOver = false
  const following = (async () => {
    const pageToken = String(body.startPageToken)
    for await (const page of changesSince({
      client,
      pageToken,
      sleep,
      wake,
      limits: listener.limits,
    })) {
      if (isOver || 'expired' in page) return
      listener.polled(page.changes.length > 0)
      for (const {file} of page.changes) found.push(String((file as {title: string}).title))
    }
  })()
  stop = async () => {
    isStopping = true
    await listener.close()
    isOver = true
    wake.wake()
    await following
    await agents.close()
  }
  await expect.poll(channels, {timeout: 10_000, interval: 5}).toHaveLength(1)
}

/** Each on a connection of its own: one to a service that was restarted since would fail. */
const change = (title: string) =>
  service.json('POST', 'files', {body: {title}, headers: {connection: 'close'}})
const channels = () => service.store.all<{id: string}>('SELECT id FROM channels')
const arrives = (...titles: string[]) =>
  expect.poll(() => found, {timeout: 10_000, interval: 5}).toEqual(titles)

test('channels follow each other without a gap, and the last one is stopped', async () => {
  await start()
  await follow()
  const ids = new Set(channels().map(({id}) => id))
  const titles: string[] = []
  for (let index = 0; index < 25; index += 1) {
    titles.push(`f${index}`)
    await change(`f${index}`)
    // Long enough to see three channels.
    await wait(40)
    for (const {id} of channels()) ids.add(id)
  }
  await arrives(...titles)
  expect(ids.size).toBeGreaterThanOrEqual(3)
  await expect.poll(channels).toHaveLength(1)
  await stop()
  expect(channels()).toEqual([])
})

test('changes arrive when notifications stop, and are notified again later', async () => {
  await start()
  await follow()
  await change('a')
  await arrives('a')
  isConnected = false
  // One that follows a notification can have been announced by it.
  await wait(200)
  await change('b')
  await arrives('a', 'b')
  await wait(200)
  await change('c')
  await arrives('a', 'b', 'c')
  await expect.poll(() => states, {timeout: 10_000}).toContain('silent')
  isConnected = true
  await expect.poll(() => states.at(-1), {timeout: 10_000}).toBe('working')
})

test('the service is restarted, and its channel goes on', async () => {
  await start()
  await follow()
  await change('a')
  await arrives('a')
  await restart()
  await change('b')
  await arrives('a', 'b')
})

test('a channel that expired without notice is replaced', async () => {
  await start()
  await follow()
  service.store.run('DELETE FROM channels')
  await change('a')
  await arrives('a')
  await expect.poll(() => states, {timeout: 10_000}).toContain('silent')
  await expect.poll(() => states.at(-1), {timeout: 10_000}).toBe('working')
})

test('every change arrives once and in order, with failing requests and restarts', async () => {
  const operations = ['changes.list', 'changes.watch', 'channels.stop']
  await start([
    {operations, probability: 0.1, fault: 'status', status: 503},
    {operations, probability: 0.05, fault: 'lose'},
  ])
  await follow()
  const titles: string[] = []
  for (let index = 0; index < 60; index += 1) {
    if (index % 12 === 6) isConnected = !isConnected
    if (index === 30) await restart()
    titles.push(`f${index}`)
    await change(`f${index}`)
    await wait(10)
  }
  await arrives(...titles)
})
