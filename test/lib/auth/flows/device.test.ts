import {describe, expect, test} from 'vitest'
import {type DeviceEvent, nextPollDelay, signInWithDevice} from '#lib/auth/flows/device.js'
import {createAuthServer} from '#lib/auth/server/auth-server.js'
import type {RawAnswer} from '#lib/auth/server/fetching.js'
import type {Post} from '#lib/auth/server/form-post.js'
import {NetworkError, ProtocolError} from '#lib/client/errors.js'

test.each([
  ['the first poll waits the interval', {interval: 5, polls: 0, failures: 0}, 5000],
  ['later ones a little more', {interval: 5, polls: 1, failures: 0}, 5250],
  ['a failure doubles the pause', {interval: 5, polls: 3, failures: 1}, 10_500],
  ['each in a row again', {interval: 5, polls: 3, failures: 3}, 42_000],
  ['up to a minute', {interval: 5, polls: 3, failures: 30}, 60_000],
  ['but never below the interval', {interval: 90, polls: 1, failures: 2}, 90_250],
])('%s', (_, input, expected) => {
  expect(nextPollDelay({...input, remaining: 1e9})).toBe(expected)
})

test.each([
  [5249, undefined],
  [5250, 5250],
  [20_000, 20_000],
])('with %i ms left, the pause is %s', (remaining, expected) => {
  expect(nextPollDelay({interval: 5, polls: 1, failures: 5, remaining})).toBe(expected)
})

const CODES = {
  device_code: 'd'.repeat(40),
  user_code: 'ABCD-EFGH',
  verification_uri: 'https://auth.example.com/login/device',
  expires_in: 60,
  interval: 5,
}
const PENDING = {error: 'authorization_pending'}
const TOKEN = {access_token: 'token', scope: 'drive', token_type: 'bearer'}
const DOWN = new NetworkError(
  'auth.example.com refused the connection.',
  'https://auth.example.com',
)

const serverOf = (post: Post) =>
  createAuthServer({authUrl: 'https://auth.example.com', clientId: 'app', post})

type Step = object | Error | number

/** Runs a sign-in with these responses in order; time passes only by sleeping. */
async function play(codes: Step, ...polls: Step[]) {
  let time = 0
  const polledAt: number[] = []
  const forms: Array<[string, Readonly<Record<string, string>>]> = []
  const events: string[] = []
  const answers = [codes, ...polls]
  const flow = signInWithDevice({
    scopes: ['drive', 'drive.file'],
    now: () => time,
    sleep: async milliseconds => {
      time += milliseconds
    },
    server: serverOf(async (path, form): Promise<RawAnswer> => {
      forms.push([path, form])
      if (path.endsWith('access_token')) polledAt.push(time)
      const answer = answers.shift() ?? PENDING
      if (answer instanceof Error) throw answer
      if (typeof answer === 'number') return {status: answer, body: '<html>'}
      return {status: 200, contentType: 'application/json', body: JSON.stringify(answer)}
    }),
    onEvent: (event: DeviceEvent) => {
      events.push(event.event === 'slow_down' ? `slow_down ${event.interval}` : event.event)
    },
  })
  const result = await flow.then(
    grant => grant.token,
    (error: unknown) => error as Error,
  )
  return {result, polledAt, forms, events}
}

describe('signInWithDevice', () => {
  test('requests codes, polls, and gets the token', async () => {
    const {result, forms, events} = await play(CODES, PENDING, TOKEN)
    expect(result).toBe('token')
    expect(events).toEqual(['authorization_required', 'pending', 'authorized'])
    const poll = [
      '/login/oauth/access_token',
      {
        client_id: 'app',
        device_code: CODES.device_code,
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      },
    ]
    expect(forms).toEqual([
      ['/login/device/code', {client_id: 'app', scope: 'drive drive.file'}],
      poll,
      poll,
    ])
  })

  test.each([
    ['on and on', [PENDING, PENDING, TOKEN], [5000, 10_250, 15_500]],
    [
      'slower once told so, and for good',
      [{error: 'slow_down', interval: 10}, PENDING, TOKEN],
      [5000, 15_250, 25_500],
    ],
    [
      'slower by five seconds where it is not told how much',
      [{error: 'slow_down'}, {error: 'slow_down'}, TOKEN],
      [5000, 15_250, 30_500],
    ],
    ['later while the service cannot be reached', [DOWN, DOWN, TOKEN], [5000, 15_500, 36_500]],
    ['later while it is broken', [502, TOKEN], [5000, 15_500]],
    ['as before once it is back', [DOWN, PENDING, TOKEN], [5000, 15_500, 20_750]],
  ])('polls %s', async (_, polls: Step[], times) => {
    const {result, polledAt} = await play(CODES, ...polls)
    expect(result).toBe('token')
    expect(polledAt).toEqual(times)
  })

  test('ends when the codes expire, without another poll', async () => {
    const {result, polledAt} = await play(CODES)
    expect(result).toMatchObject({code: 'expired_token', kind: 'sign-in'})
    expect(polledAt.at(-1)).toBeLessThanOrEqual(60_000)
    expect(polledAt).toHaveLength(11)
  })

  test('does not show a code that expires before the first poll', async () => {
    const {result, events} = await play({...CODES, interval: 1e9})
    expect(result).toBeInstanceOf(ProtocolError)
    expect((result as Error).message).toRead()
    expect(events).toEqual([])
  })

  test('reports an interval longer than the lifetime of the code', async () => {
    const slow = {error: 'slow_down', interval: 1e9}
    const {result, polledAt} = await play(CODES, PENDING, slow, TOKEN)
    expect(result).toBeInstanceOf(ProtocolError)
    expect((result as Error).message).toRead()
    expect(polledAt).toHaveLength(2)
  })

  test('lets the code expire if the interval exceeds the remaining time', async () => {
    const {result} = await play(CODES, {error: 'slow_down', interval: 59}, TOKEN)
    expect(result).toMatchObject({code: 'expired_token'})
  })

  test.each([
    ['is broken', 502, 502],
    ['is unreachable', DOWN, undefined],
  ])('does not blame the user if the service %s to the end', async (_, step, status) => {
    const {result} = await play(CODES, PENDING, ...new Array<Step>(20).fill(step))
    if (step === DOWN) expect(result).toBe(DOWN)
    else expect(result).toMatchObject({name: 'ServiceError', status})
  })

  test.each(['access_denied', 'expired_token', 'incorrect_device_code', 'unheard_of'])(
    'ends at %s',
    async error => {
      const {result, polledAt} = await play(CODES, PENDING, {error}, TOKEN)
      expect(result).toMatchObject({name: 'SignInError', code: error})
      expect(polledAt).toHaveLength(2)
    },
  )

  test('ends if the service cannot be reached at the start', async () => {
    expect((await play(DOWN)).result).toBe(DOWN)
  })

  test('ends if the response is not from an authorization service', async () => {
    expect((await play(404)).result).toBeInstanceOf(ProtocolError)
    expect((await play(CODES, 404)).result).toBeInstanceOf(ProtocolError)
  })

  test('passes on an interruption while it polls', async () => {
    const reason = new Error('Interrupted.')
    const flow = signInWithDevice({
      server: serverOf(async () => ({status: 200, body: JSON.stringify(CODES)})),
      scopes: [],
      now: () => 0,
      sleep: () => Promise.reject(reason),
      onEvent: () => undefined,
    })
    await expect(flow).rejects.toBe(reason)
  })
})
