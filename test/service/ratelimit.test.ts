import {afterEach, beforeEach, describe, expect, test} from 'vitest'
import {createAllowance} from '../../src/lib/service/http/ratelimit.js'
import {createApp} from '../../src/lib/service/oauth/apps.js'
import {startTestService, type TestService} from './harness.js'

const HOUR = 3600

let service: TestService
beforeEach(async () => {
  service = await startTestService({rateLimit: {authenticated: 4, anonymous: 2}})
})
afterEach(() => service.close())

const about = (token?: string | null, headers = {}) =>
  service.json('GET', 'about', {token, headers})

describe('the allowance of an hour', () => {
  test('is shared by all tokens of a user, and told with every answer', async () => {
    const start = service.clock.now / 1000
    const first = await about()
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'x-ratelimit-limit': '4',
      'x-ratelimit-used': '1',
      'x-ratelimit-remaining': '3',
      'x-ratelimit-reset': `${start + HOUR}`,
      'x-ratelimit-resource': 'core',
    })
    service.clock.now += 1000
    const other = service.token('local', ['drive.readonly'], 'sync')
    const user = await service.json('GET', '/user', {token: other})
    expect(user.headers.get('x-ratelimit-remaining')).toBe('2')
    const refused = await service.json('POST', 'files', {token: other, body: {title: 'x'}})
    expect(refused.status).toBe(403)
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('1')
    expect((await service.json('GET', 'files/none')).headers.get('x-ratelimit-remaining')).toBe('0')

    const over = await about()
    expect(over.status).toBe(403)
    expect(over.body.error.errors[0].reason).toBe('rateLimitExceeded')
    expect(over.headers.get('retry-after')).toBe(`${HOUR - 1}`)
    expect((await service.json('GET', '/user')).body.message).toMatch(/rate limit exceeded/)
    expect((await about(service.token('ada'))).status).toBe(200)
    service.clock.now += (HOUR - 1) * 1000
    expect((await about()).headers.get('x-ratelimit-remaining')).toBe('3')
  })

  test('is smaller without a token, and counted by address', async () => {
    expect((await about(null)).headers.get('x-ratelimit-limit')).toBe('2')
    expect((await about(null)).body.error.errors[0].reason).toBe('required')
    const over = await about(null)
    expect(over.status).toBe(403)
    expect(over.body.error.errors[0].reason).toBe('rateLimitExceeded')
    expect((await about()).status).toBe(200)
  })

  test('is not spent by what has not changed', async () => {
    const {body} = await service.json('POST', 'files', {body: {title: 'x'}})
    const path = `files/${body.id}`
    const again = await service.send('GET', path, {headers: {'if-none-match': body.etag}})
    expect(again.status).toBe(304)
    expect(again.headers.get('x-ratelimit-used')).toBe('1')
  })

  test('can be looked at for nothing', async () => {
    await about()
    for (let i = 0; i < 6; i++) {
      const {status, body} = await service.json('GET', '/rate_limit')
      expect(status).toBe(200)
      expect(body.resources.core).toMatchObject({limit: 4, used: 1, remaining: 3})
    }
    const {body} = await service.json('GET', '/rate_limit', {token: null})
    expect(body.rate).toMatchObject({limit: 2, remaining: 2})
  })

  test('is counted for an app that checks tokens', async () => {
    const {clientId, secret} = createApp(service.store, {name: 'Sync'}, service.clock.now)
    const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
    const check = () =>
      service.json('POST', `/applications/${clientId}/token`, {
        token: null,
        headers: {authorization},
        body: {},
      })
    for (let left = 3; left >= 0; left--) {
      expect((await check()).headers.get('x-ratelimit-remaining')).toBe(`${left}`)
    }
    expect((await check()).status).toBe(403)
  })
})

test('without a limit nothing is said of one', async () => {
  const free = await startTestService()
  try {
    const answer = await free.json('GET', 'about')
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull()
    expect((await free.json('GET', '/rate_limit')).status).toBe(404)
  } finally {
    await free.close()
  }
})

test('those whose hour is over are forgotten', () => {
  const allowance = createAllowance({authenticated: 1, anonymous: 1})
  for (let i = 0; i < 1500; i++) allowance.take(`user:${i}`, 0)
  expect(() => allowance.take('user:7', 1)).toThrow(/1 requests an hour/)
  expect(allowance.take('user:7', HOUR * 1000)).toMatchObject({'X-RateLimit-Used': '1'})
})

describe('the version of the API', () => {
  test('is told with every answer, refusals too', async () => {
    const header = {'x-service-api-version': '2022-11-28'}
    for (const {headers} of [await about(), await about(undefined, header), await about(null)]) {
      expect(headers.get('x-service-api-version-selected')).toBe('2022-11-28')
    }
  })

  test('must be one that there is', async () => {
    const answer = await about(undefined, {'x-service-api-version': '2020-01-01'})
    expect(answer.status).toBe(400)
    expect(answer.body.error.message).toContain('X-Service-Api-Version')
    expect(answer.headers.get('x-ratelimit-used')).toBeNull()
  })
})

test('refusals tell of the scopes as well', async () => {
  for (const [method, path] of [
    ['GET', 'files/none'],
    ['GET', 'files?maxResults=x'],
  ] as const) {
    const {status, headers} = await service.json(method, path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(headers.get('x-oauth-scopes')).toContain('drive')
    expect(headers.get('x-accepted-oauth-scopes')).toContain('drive.readonly')
  }
})
