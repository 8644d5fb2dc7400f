import {PassThrough} from 'node:stream'
import nock from 'nock'
import {afterEach, expect, test, vi} from 'vitest'
import {authServiceChecks, fileServiceChecks, PATIENCE} from '#lib/cli/account/doctor/network.js'
import {runChecks} from '#lib/cli/account/doctor/run-checks.js'
import {createTransport, type HttpRequest} from '#lib/client/transport/transport.js'
import type {Settings} from '#lib/config/settings.js'
import {guardNetwork} from '../../../nock.js'

/** Each kind of response that a service can give to the doctor. */

guardNetwork()

const ADDRESS = 'https://files.example.com'
const line = {
  send: createTransport(),
  userAgent: 'drv/test',
  signal: new AbortController().signal,
  now: () => Date.parse('2026-11-23T12:00:00Z'),
}
const DATE = {date: 'Mon, 23 Nov 2026 12:00:00 GMT'}
const JSON_TYPE = {...DATE, 'content-type': 'application/json; charset=UTF-8'}

test.each([
  ['a refusal with 401', 401, '{"error": {"code": 401}}', JSON_TYPE, 'ok', undefined],
  ['a refusal with 403', 403, '{"error": {"code": 403}}', JSON_TYPE, 'ok', undefined],
  ['a page', 401, '<html>', {'content-type': 'text/html'}, 'failed', 'unavailable'],
  ['nothing there', 404, '', {}, 'failed', 'notFound'],
  ['a fault', 500, 'oops', {}, 'failed', 'unavailable'],
  ['a redirect', 302, '', {location: 'https://other.example/'}, 'failed', 'unavailable'],
] as const)(
  'a file service that responds with %s',
  async (_, status, body, headers, state, exit) => {
    nock(ADDRESS).get('/drive/v2/about').reply(status, body, headers)
    const [service, clock] = await fileServiceChecks(ADDRESS, line)
    expect(service).toMatchObject({name: 'file service', state})
    expect(service?.exit).toBe(exit)
    expect(clock?.state).toBe(state === 'ok' ? 'ok' : 'skipped')
  },
)

test.each(['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'])(
  'a file service that cannot be reached (%s) is reported once',
  async code => {
    nock(ADDRESS)
      .get('/drive/v2/about')
      .replyWithError(Object.assign(new Error(code), {code}))
    const [service] = await fileServiceChecks(ADDRESS, line)
    expect(service).toMatchObject({state: 'failed', exit: 'unavailable', advice: undefined})
    expect(service?.found).toContain('files.example.com')
  },
)

const SETTINGS: Settings = {
  profile: 'work',
  embedded: false,
  baseUrl: ADDRESS,
  authUrl: ADDRESS,
  sources: {baseUrl: 'environment', authUrl: 'default'},
  clientId: 'app',
  binding: ADDRESS,
}
/** It names no other authorization service. */
const noMetadata = () => nock(ADDRESS).get('/.well-known/oauth-protected-resource').reply(404)

test.each([
  ['incorrect_device_code', 'ok', 'ok'],
  ['device_flow_disabled', 'ok', 'warning'],
  ['incorrect_client_credentials', 'ok', 'failed'],
  ['application_suspended', 'ok', 'failed'],
  ['unsupported_grant_type', 'ok', 'skipped'],
])('an authorization service that responds with %s', async (error, state, client) => {
  noMetadata()
  nock(ADDRESS)
    .post('/login/oauth/access_token', /client_id=app/)
    .reply(200, {error}, JSON_TYPE)
  const checks = await authServiceChecks(SETTINGS, true, line)
  expect(checks.map(check => check.state)).toEqual([state, client])
})

test('another service at its URL is an error only if somebody has to sign in', async () => {
  for (const [isNeeded, state] of [
    [true, 'failed'],
    [false, 'warning'],
  ] as const) {
    noMetadata()
    nock(ADDRESS)
      .post('/login/oauth/access_token')
      .reply(200, '<html>', {'content-type': 'text/html'})
    const checks = await authServiceChecks(SETTINGS, isNeeded, line)
    expect(checks.map(check => check.state)).toEqual([state, 'skipped'])
  }
})

test('every request of the doctor has the same time limit', async () => {
  const sent: HttpRequest[] = []
  const send = async (request: HttpRequest): Promise<never> => {
    sent.push(request)
    throw new Error('Nobody answers.')
  }
  // The token is not sent to a remote service that does not respond.
  for (const environment of [{DRV_BASE_URL: ADDRESS}, {}]) {
    const examination = runChecks({
      runCommand: () => Promise.reject(new Error('A command was run.')),
      options: {} as Parameters<typeof runChecks>[0]['options'],
      environment: {...environment, DRV_TOKEN: 'drvp_token'},
      directories: {},
      line: {...line, send},
      openStore: () => {
        throw new Error('Nobody may ask it.')
      },
      startEmbedded: async () => 'http://127.0.0.1:9',
    })
    for await (const _ of examination);
  }
  expect(sent.map(({url, timeout}) => `${new URL(url).pathname} ${timeout}`)).toEqual([
    `/drive/v2/about ${PATIENCE}`,
    `/.well-known/oauth-protected-resource ${PATIENCE}`,
    `/user ${PATIENCE}`,
  ])
})

afterEach(() => void vi.useRealTimers())

test('an authorization service that stops in the middle of a response times out', async () => {
  vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'Date']})
  const send = async () => ({status: 200, headers: {}, body: new PassThrough()})
  let isDone = false
  const checking = authServiceChecks(SETTINGS, true, {...line, send}).finally(() => (isDone = true))
  // The first timer starts after modules are loaded, which takes real time.
  while (!isDone) {
    await new Promise(setImmediate)
    await vi.advanceTimersByTimeAsync(PATIENCE)
  }
  const [service] = await checking
  expect(service).toMatchObject({state: 'failed', exit: 'unavailable', advice: undefined})
  expect(service?.found).toRead()
})
