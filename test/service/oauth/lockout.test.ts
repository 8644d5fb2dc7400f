import {afterEach, beforeEach, expect, test} from 'vitest'
import {createApp} from '#lib/service/oauth/store/apps.js'
import {findToken, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {startTestService, type TestService} from '../harness.js'

/** Two processes over one data directory, as far as the service can tell. */
let services: [TestService, TestService]
let token: string
beforeEach(async () => {
  const first = await startTestService()
  services = [first, await startTestService({data: first.directory})]
  token = first.token('anna')
})
afterEach(async () => {
  await services[1].close()
  await services[0].close()
})

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** The reason or message of a refusal; otherwise the status. */
async function outcome(
  service: TestService,
  authorization: string,
  [method, path]: readonly [string, string] = ['GET', 'about'],
) {
  const body = method === 'POST' ? {} : undefined
  const answer = await service.json(method, path, {token: null, headers: {authorization}, body})
  if (answer.status < 300) return answer.status
  return answer.body.error?.errors[0].reason ?? answer.body.message
}

const LOCKED = /loginAttemptsExceeded|Maximum number of login attempts/

test('ten bad tokens of one script lock out nobody else on the machine', async () => {
  for (let i = 0; i < 10; i++) {
    expect(await outcome(services[i % 2]!, 'Bearer bad')).toBe('authError')
    expect(await outcome(services[i % 2]!, `Bearer bad-${i}`)).toBe('authError')
  }
  expect(await outcome(services[0], 'Bearer bad')).toMatch(LOCKED)
  for (const service of services) expect(await outcome(service, `Bearer ${token}`)).toBe(200)
})

test('bad credentials of a user are counted together, in every endpoint and process', async () => {
  const [{store, clock}] = services
  const revoked = services[0].token('anna', ['drive'], 'sync')
  revokeToken(store, findToken(store, revoked, clock.now)!.id, clock.now)
  const shown = [
    [`Bearer ${revoked}`, ['GET', 'about']],
    [`token ${revoked}`, ['GET', '/user']],
    [basic('anna', 'guess'), ['GET', 'files']],
    [basic('ANNA', 'guess'), ['POST', '/settings/tokens']],
    [`Bearer ${revoked}`, ['PUT', '/upload/drive/v2/files?uploadType=resumable&upload_id=none']],
  ] as const
  for (let i = 0; i < 10; i++) {
    const [authorization, place] = shown[i % shown.length]!
    const refusal = await outcome(services[i % 2]!, authorization, place)
    expect(refusal).toMatch(/authError|Bad credentials/)
  }
  for (const service of services) {
    expect(await outcome(service, `Bearer ${token}`)).toMatch(LOCKED)
    expect(await outcome(service, `Bearer ${token}`, ['GET', '/user'])).toMatch(LOCKED)
    expect(await outcome(service, basic('anna', ''), ['POST', '/settings/tokens'])).toMatch(LOCKED)
    expect(await outcome(service, `Bearer ${service.token('bert')}`)).toBe(200)
    service.clock.now += 60_000
    expect(await outcome(service, `Bearer ${token}`)).toBe(200)
  }
})

test('wrong secrets of an app count only against the app', async () => {
  const [{store, clock}] = services
  const {clientId, secret} = createApp(store, {name: 'Sync'}, clock.now)
  const check = ['POST', `/applications/${clientId}/token`] as const
  for (let i = 0; i < 10; i++) {
    expect(await outcome(services[i % 2]!, basic(clientId, 'x'), check)).toBe('Bad credentials')
  }
  expect(await outcome(services[1], basic(clientId, secret!), check)).toMatch(LOCKED)
  expect(await outcome(services[1], `Bearer ${token}`)).toBe(200)
})
