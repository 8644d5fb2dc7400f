import nock from 'nock'
import {describe, expect, test} from 'vitest'
import {isLockout, ServiceError} from '#lib/client/errors.js'
import {createClient} from '#lib/client/index.js'
import {readSso} from '#lib/client/responses.js'
import {guardNetwork} from '../nock.js'

const BASE = 'https://files.example.com'
guardNetwork()

const about = () => nock(BASE).get('/drive/v2/about')
const LOCKED = {
  message: 'Maximum number of login attempts exceeded. Please try again later.',
}

function client(more: Partial<Parameters<typeof createClient>[0]> = {}) {
  return createClient({baseUrl: BASE, token: async () => 'the-token', ...more})
}

describe('a rejected token', () => {
  test.each([
    [401, {message: 'Bad credentials'}],
    [403, LOCKED],
  ])('is not sent again after a %i, however many requests are left', async (status, body) => {
    about().reply(status, body)
    const later = about().reply(200, {})
    const service = client()
    const failure = (await service.call('about.get', {params: {}}).catch(e => e)) as ServiceError
    expect(failure.status).toBe(status)
    for (let again = 0; again < 3; again++) {
      await expect(service.call('about.get', {params: {}})).rejects.toBe(failure)
    }
    await expect(service.download('files.get', {params: {fileId: 'x'}})).rejects.toBe(failure)
    expect(later.isDone()).toBe(false)
    nock.cleanAll()
  })

  test.each([403, 404, 500])('a %i of another kind has no effect', async status => {
    about().reply(status, {message: 'No'})
    about().reply(200, {kind: 'ok'})
    const service = client()
    await expect(service.call('about.get', {params: {}})).rejects.toMatchObject({status})
    expect(await service.call('about.get', {params: {}})).toEqual({kind: 'ok'})
  })

  test('is reported to the guard, which is called before each request', async () => {
    const refused: string[] = []
    const guard = {
      check: async () => {
        if (refused.length > 0) throw new Error('blocked')
      },
      refused: async (token: string) => void refused.push(token),
    }
    about().reply(401, {})
    await expect(client({guard}).call('about.get', {params: {}})).rejects.toMatchObject({
      status: 401,
    })
    expect(refused).toEqual(['the-token'])
    await expect(client({guard}).call('about.get', {params: {}})).rejects.toThrow('blocked')
  })

  test('is not part of the report', async () => {
    about().reply(401, {message: 'the-token is not good'})
    await expect(client().call('about.get', {params: {}})).rejects.toRead()
  })
})

test.each([
  [403, 'loginAttemptsExceeded', '', true],
  [403, '', LOCKED.message, true],
  [403, 'insufficientPermissions', 'No', false],
  [429, 'loginAttemptsExceeded', '', false],
])('%i %s is a lockout: %s', (status, reason, message, expected) => {
  expect(isLockout(new ServiceError(status, reason, message))).toBe(expected)
})

describe('X-Service-SSO', () => {
  test.each([
    [undefined, {}],
    ['', {}],
    [
      'required; url=https://a.example/orgs/x/sso?r=1,2',
      {url: 'https://a.example/orgs/x/sso?r=1,2'},
    ],
    ['required', {}],
    ['required; url=javascript:alert(1)', {}],
    ['required; url=https://a.example/\u001B[31m', {}],
    ['partial-results; organizations=21955855,20582480', {leftOut: ['21955855', '20582480']}],
    ['partial-results; organizations=1, 2 ,\u001B[31m', {leftOut: ['1', '2']}],
    ['partial-results', {leftOut: []}],
    ['something-new', {}],
  ])('%j', (header, expected) => expect(readSso(header)).toEqual(expected))

  test('omitted organizations are reported', async () => {
    const told: unknown[] = []
    nock(BASE)
      .get('/drive/v2/files')
      .reply(200, {items: []}, {'X-Service-SSO': 'partial-results; organizations=7'})
    const service = client({onLeftOut: organizations => told.push(organizations)})
    await service.call('files.list', {params: {}})
    expect(told).toEqual([['7']])
  })
})
