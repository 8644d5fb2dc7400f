import {describe, expect, test} from 'vitest'
import type {CallInput} from '#lib/client/client.js'
import {NetworkError, ProtocolError, ServiceError} from '#lib/client/errors.js'
import {changesSince, nextChangesDelay, type Polling} from '#lib/follow/poll.js'
import {createWake} from '#lib/follow/wake.js'
import {SetupError} from '#lib/platform/setup-error.js'

const fault = (status: number, details = {}) => new ServiceError(status, 'x', 'x', details)
const unreachable = () =>
  new NetworkError('Cannot connect.', 'http://127.0.0.1', {
    cause: Object.assign(new Error('x'), {code: 'ECONNREFUSED'}),
  })
const last = (token: string, ...ids: string[]) => ({
  newStartPageToken: token,
  items: ids.map(id => ({id})),
})

const end = new Error('no more answers')

/** A follower of a service that gives these answers in turn, and then none. */
function follower(answers: unknown[], polling: Partial<Polling> = {}) {
  const log: unknown[] = []
  const client = {
    async call(_: string, {params}: CallInput) {
      log.push(`list ${String(params.pageToken)}`)
      if (answers.length === 0) throw end
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return answer as Record<string, unknown>
    },
  }
  const run = async () => {
    try {
      const sleep = async (milliseconds: number) => void log.push(milliseconds)
      const options = {client, pageToken: '1', sleep, ...polling}
      for await (const page of changesSince(options)) {
        if ('expired' in page) log.push('expired')
        else if (page.changes.length > 0) log.push(page.changes.map(({id}) => id).join())
      }
    } catch (error) {
      if (error !== end) throw error
    }
    return log
  }
  return {log, client, run}
}

describe('the delay', () => {
  test('grows from 2 s to 60 s while nothing changes, and starts again with a change', () => {
    const delays: number[] = []
    for (let delay: number | undefined, count = 0; count < 11; count += 1) {
      delay = nextChangesDelay('idle', delay)
      delays.push(delay)
    }
    expect(delays).toEqual([
      2000, 3000, 4500, 6750, 10_125, 15_188, 22_782, 34_173, 51_260, 60_000, 60_000,
    ])
    expect(nextChangesDelay('changed', 60_000)).toBe(2000)
  })

  test('is at least what the service asks for', () => {
    const rate = {kind: 'rate', slow: false, retryAfter: 90} as const
    expect(nextChangesDelay(rate, 2000)).toBe(90_000)
    expect(nextChangesDelay({kind: 'service'}, 2000)).toBe(3000)
  })

  test('stays within other limits', () => {
    const limits = {shortest: 60_000, longest: 300_000}
    expect(nextChangesDelay('idle', 2000, limits)).toBe(60_000)
    expect(nextChangesDelay('idle', 290_000, limits)).toBe(300_000)
  })
})

test('pages follow each other at once, polls after a wait', async () => {
  const {run} = follower([
    {nextPageToken: 2, items: [{id: 'a'}]},
    last('3', 'b', 'c'),
    last('3'),
    last('3'),
    last('4', 'd'),
  ])
  expect(await run()).toEqual([
    ...['list 1', 'a', 'list 2', 'b,c', 2000],
    ...['list 3', 3000, 'list 3', 4500, 'list 3', 'd', 2000, 'list 4'],
  ])
})

test('an outage is waited for, and reported once', async () => {
  const told: string[] = []
  const {run} = follower([unreachable(), fault(503, {retryAfter: 7}), last('2', 'a')], {
    onOutage: () => told.push('out'),
    onRecovery: () => told.push('back'),
  })
  expect(await run()).toEqual(['list 1', 2000, 'list 1', 7000, 'list 1', 'a', 2000, 'list 2'])
  expect(told).toEqual(['out', 'back'])
})

test('without patience an outage ends it', async () => {
  const error = unreachable()
  await expect(follower([error], {isPatient: false}).run()).rejects.toBe(error)
})

test('a page in a foreign form is an outage only after the service has responded', async () => {
  const foreign = new ProtocolError('Not JSON.')
  await expect(follower([foreign]).run()).rejects.toBe(foreign)
  expect(await follower([last('2'), foreign]).run()).toContain(3000)
})

test.each([fault(400, {location: 'pageToken'}), fault(410)])(
  'an expired page token ends it with a word',
  async error => {
    expect(await follower([last('2', 'a'), error]).run()).toEqual([
      ...['list 1', 'a', 2000, 'list 2', 'expired'],
    ])
  },
)

test.each([fault(401), new SetupError('sign-in', 'Not signed in.')])(
  'after a new sign-in it goes on, without one it ends',
  async error => {
    const after = follower([last('2', 'a')])
    const onSignedOut = async () => after.client
    const {run} = follower([error], {onSignedOut})
    expect(await run()).toEqual(['list 1', 'a', 2000])
    expect(after.log).toEqual(['list 1', 'list 2'])
    await expect(follower([error]).run()).rejects.toBe(error)
    const stays = follower([error], {onSignedOut: async () => undefined})
    await expect(stays.run()).rejects.toBe(error)
  },
)

test.each([fault(403), fault(404), new Error('x')])('other errors end it', async error => {
  await expect(follower([error]).run()).rejects.toBe(error)
})

test.each([{items: []}, {nextPageToken: '1', items: []}])(
  'a page that leads nowhere is an error',
  async page => {
    await expect(follower([page]).run()).rejects.toBeInstanceOf(ProtocolError)
  },
)

describe('a wake', () => {
  const untilAborted = (_: number, until?: AbortSignal) =>
    new Promise<void>(resolve => until!.addEventListener('abort', () => resolve()))

  test('ends the wait', async () => {
    const wake = createWake()
    const waiting = wake.wait(60_000, untilAborted)
    wake.wake()
    await waiting
  })

  test('before the wait lets it end at once, and only this one', async () => {
    const wake = createWake()
    wake.wake()
    wake.wake()
    await wake.wait(60_000, untilAborted)
    let isOver = false
    void wake.wait(60_000, untilAborted).then(() => (isOver = true))
    await Promise.resolve()
    expect(isOver).toBe(false)
  })
})
