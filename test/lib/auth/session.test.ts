import {expect, test} from 'vitest'
import {createSession, type FoundToken, type TokenSource} from '#lib/auth/session.js'
import {NetworkError} from '#lib/client/errors.js'
import type {Settings} from '#lib/config/settings.js'
import {SetupError} from '#lib/platform/setup-error.js'

const SETTINGS: Settings = {
  profile: 'work',
  embedded: false,
  baseUrl: 'https://files.example.com',
  authUrl: 'https://auth.example.com',
  clientId: 'drv-cli',
  binding: 'https://files.example.com',
}

type Renewal = FoundToken | Error | undefined

/**
 * A session with a token that expires at `end`, followed by the results of `renewals`; the clock is set by the
 * test.
 */
function world(end: number | undefined, ...renewals: Renewal[]) {
  const state = {now: 0, asked: 0, found: 0}
  const source: TokenSource = {
    async find() {
      state.found++
      return {token: 'first', source: 'file', expiresAt: end}
    },
    async renew() {
      state.asked++
      // Concurrent requests share one renewal.
      await Promise.resolve()
      const renewal = renewals.shift()
      if (renewal instanceof Error) throw renewal
      return renewal
    },
  }
  return {state, session: createSession({settings: SETTINGS, source, now: () => state.now})}
}

const token = (name: string, expiresAt?: number): FoundToken => ({
  token: name,
  source: 'file',
  expiresAt,
})
const AWAY = new NetworkError(
  'auth.example.com refused the connection.',
  'https://auth.example.com',
)
const ENDED = new SetupError('sign-in', 'Your sign-in has ended.')

test.each([
  [undefined, 'first', 0],
  [60_001, 'first', 0],
  [60_000, 'second', 1],
  [0, 'second', 1],
  [-1, 'second', 1],
])('a token that expires in %s ms: %s', async (end, expected, asked) => {
  const {session, state} = world(end, token('second'))
  expect(await session.token()).toBe(expected)
  expect(await session.token()).toBe(expected)
  expect(state).toMatchObject({asked, found: 1})
})

test('a token with a very short lifetime is used until it expires', async () => {
  const {session, state} = world(0, token('second', 30_000), token('third', 1e9))
  for (state.now of [0, 10_000, 29_999]) expect(await session.token()).toBe('second')
  expect(state.asked).toBe(1)
  state.now = 30_000
  expect(await session.token()).toBe('third')
})

test('concurrent requests wait for one renewal', async () => {
  const {session, state} = world(0, token('second'))
  const tokens = await Promise.all(Array.from({length: 60}, () => session.token()))
  expect(new Set(tokens)).toEqual(new Set(['second']))
  expect(state.asked).toBe(1)
})

test('a rejected token is renewed once for all requests that used it', async () => {
  const {session, state} = world(undefined, token('second'))
  await session.token()
  const renewed = await Promise.all(Array.from({length: 60}, () => session.renew('first')))
  expect(renewed).toEqual(Array.from({length: 60}, () => true))
  expect(await session.renew('first')).toBe(true)
  expect(await session.token()).toBe('second')
  expect(state.asked).toBe(1)
})

test('there is no other token if the source has none, or the same', async () => {
  for (const renewal of [undefined, token('first')]) {
    const {session, state} = world(undefined, renewal)
    await session.token()
    expect(await session.renew('first')).toBe(false)
    expect(await session.renew('first')).toBe(false)
    expect(state.asked).toBe(1)
    expect(await session.token()).toBe('first')
  }
})

test('a valid token is used while the server is unavailable, and renewed later', async () => {
  const {session, state} = world(30_000, AWAY, AWAY, token('second'))
  expect(await session.token()).toBe('first')
  expect(await session.token()).toBe('first')
  expect(state.asked).toBe(1)
  state.now = 10_000
  expect(await session.token()).toBe('first')
  expect(state.asked).toBe(2)
  state.now = 30_000
  expect(await session.token()).toBe('second')
})

test('a valid token is used while the server is silent, until it expires', async () => {
  const state = {now: 0, asked: 0}
  let answer = (_: FoundToken) => {}
  const source: TokenSource = {
    find: async () => token('first', 30_000),
    renew() {
      state.asked++
      return new Promise(resolve => (answer = resolve))
    },
  }
  const sleep = async () => undefined
  const session = createSession({settings: SETTINGS, source, now: () => state.now, sleep})
  expect(await Promise.all([session.token(), session.token()])).toEqual(['first', 'first'])
  expect(await session.token()).toBe('first')
  state.now = 30_000
  const waiting = session.token()
  answer(token('second', 1e9))
  expect(await waiting).toBe('second')
  expect(state.asked).toBe(1)
})

test('an expired token is not used while the server is unavailable', async () => {
  const {session, state} = world(0, AWAY, token('second'))
  await expect(session.token()).rejects.toBe(AWAY)
  await expect(session.token()).rejects.toBe(AWAY)
  expect(state.asked).toBe(1)
  state.now = 10_000
  expect(await session.token()).toBe('second')
})

test('a sign-in that has ended is requested once', async () => {
  const {session, state} = world(0, ENDED, token('second'))
  for (const now of [0, 1e6, 1e9]) {
    state.now = now
    await expect(session.token()).rejects.toBe(ENDED)
  }
  await expect(session.renew('first')).rejects.toBe(ENDED)
  expect(state.asked).toBe(1)
})

test('a rejected token is not used again while its renewal fails', async () => {
  const {session, state} = world(undefined, AWAY, token('second'))
  await session.token()
  await expect(session.renew('first')).rejects.toBe(AWAY)
  await expect(session.token()).rejects.toBe(AWAY)
  expect(state.asked).toBe(1)
  state.now = 10_000
  expect(await session.token()).toBe('second')
})

test('a token that cannot be renewed is used unchanged', async () => {
  const source: TokenSource = {find: async () => token('only', -1)}
  const session = createSession({settings: SETTINGS, source, now: () => 0})
  expect(await session.token()).toBe('only')
  expect(await session.renew('only')).toBe(false)
})
