import {describe, expect, test} from 'vitest'
import {DEVICE_GRANT} from '#lib/api/wire.js'
import {isStolen} from '#lib/service/oauth/flows/refresh.js'
import {authenticate} from '#lib/service/oauth/guard/authenticate.js'
import {accessOf, appsWithAccess} from '#lib/service/oauth/store/access.js'
import {createApp, deleteApp, suspendApp, updateApp} from '#lib/service/oauth/store/apps.js'
import {findToken, tokensOf} from '#lib/service/oauth/store/tokens.js'
import {deleteUser} from '#lib/service/store/delete-user.js'
import {ensureUser} from '#lib/service/store/users.js'
import {decide, notesOf, type Oauth, startBrowser, startOauth} from './calls.js'

/** Expiring tokens, enabled by an app, at the endpoints of the specification. */

const HOUR = 3_600_000
const TOKEN = '/login/oauth/access_token'
const CALLBACK = 'http://127.0.0.1/back'

type Fields = Record<string, string>

function startApp(reuseInterval?: number, isPublic = false) {
  const oauth = startOauth()
  const wish = {name: 'Sync', deviceFlow: true, callbackUrl: CALLBACK, isPublic}
  const {clientId, secret} = createApp(
    oauth.store,
    {...wish, tokenLifetime: 8 * HOUR, reuseInterval},
    oauth.clock.now,
  )
  return {oauth, clientId, secret: secret!}
}

async function ask(oauth: Oauth, form: Fields): Promise<Fields> {
  const {status, data} = await oauth.post(TOKEN, form)
  expect(status).toBe(200)
  return data as Fields
}

/** Signs in with the device flow. */
async function signIn(oauth: Oauth, clientId: string, account?: string): Promise<Fields> {
  const {data} = await oauth.post('/login/device/code', {client_id: clientId, scope: 'drive'})
  await decide(oauth, String(data.user_code), 'authorize', account)
  const code = String(data.device_code)
  return ask(oauth, {client_id: clientId, device_code: code, grant_type: DEVICE_GRANT})
}

const refresh = (oauth: Oauth, clientId: string, token: string | undefined, more: Fields = {}) =>
  ask(oauth, {
    client_id: clientId,
    grant_type: 'refresh_token',
    refresh_token: token ?? '',
    ...more,
  })

const isLive = ({store, clock}: Oauth, token: string | undefined) =>
  findToken(store, token ?? '', clock.now)?.live

describe('a token that expires', () => {
  test('is returned with its lifetime and a refresh token', async () => {
    const {oauth, clientId} = startApp()
    const granted = await signIn(oauth, clientId)
    expect(granted).toEqual({
      access_token: expect.stringMatching(/^drvo_/) as string,
      token_type: 'bearer',
      scope: 'drive',
      expires_in: 28_800,
      refresh_token: expect.stringMatching(/^drvr_[0-9A-Za-z]{36}$/) as string,
      refresh_token_expires_in: 15_897_600,
    })
    oauth.clock.now += 8 * HOUR - 1
    expect(isLive(oauth, granted.access_token)).toBe(true)
    oauth.clock.now += 1
    expect(isLive(oauth, granted.access_token)).toBe(false)
    expect(isLive(oauth, granted.refresh_token)).toBeUndefined()
  })

  test('causes no lockout when it expires, however many requests use it', async () => {
    const {oauth, clientId} = startApp()
    const {store, clock} = oauth
    const {access_token: token, refresh_token} = await signIn(oauth, clientId)
    clock.now += 8 * HOUR
    const ask = (text?: string) => () =>
      authenticate(store, {authorization: `Bearer ${text}`}, clock.now)
    for (let count = 0; count < 50; count++)
      expect(ask(token)).toThrow(expect.objectContaining({status: 401}))
    const next = await refresh(oauth, clientId, refresh_token)
    expect(ask(next.access_token)()).toMatchObject({user: {login: 'local'}})
  })

  test('is only for apps that enable it', async () => {
    const oauth = startOauth()
    const {clientId} = createApp(oauth.store, {name: 'Plain', deviceFlow: true}, oauth.clock.now)
    const granted = await signIn(oauth, clientId)
    expect(Object.keys(granted)).toEqual(['access_token', 'token_type', 'scope'])
    expect(await refresh(oauth, clientId, granted.access_token)).toMatchObject({
      error: 'bad_refresh_token',
    })
  })

  test('counts as access of its app as long as it can be refreshed', async () => {
    const {oauth, clientId} = startApp()
    const {store, clock} = oauth
    await signIn(oauth, clientId)
    const {id} = ensureUser(store, 'local', clock.now)
    clock.now += 9 * HOUR
    expect(appsWithAccess(store, id, clock.now)).toEqual([clientId])
    expect(accessOf(store, id, clientId, clock.now).tokens).toHaveLength(1)
    clock.now += 184 * 24 * HOUR
    expect(appsWithAccess(store, id, clock.now)).toEqual([])
    expect(accessOf(store, id, clientId, clock.now).tokens).toEqual([])
  })
})

describe('a refresh', () => {
  test('exchanges the refresh token for two new tokens, repeatedly', async () => {
    const {oauth, clientId} = startApp()
    let granted = await signIn(oauth, clientId)
    for (const _ of [1, 2, 3]) {
      oauth.clock.now += 9 * HOUR
      const next = await refresh(oauth, clientId, granted.refresh_token)
      expect(next).toMatchObject({scope: 'drive', expires_in: 28_800})
      expect(next.refresh_token).not.toBe(granted.refresh_token)
      expect(isLive(oauth, next.access_token)).toBe(true)
      granted = next
    }
    const {id} = ensureUser(oauth.store, 'local', 0)
    expect(tokensOf(oauth.store, id, clientId)).toHaveLength(4)
    expect(accessOf(oauth.store, id, clientId, oauth.clock.now).tokens).toHaveLength(1)
  })

  test('with a used refresh token revokes all tokens of the sign-in, and no others', async () => {
    const {oauth, clientId} = startApp()
    const first = await signIn(oauth, clientId)
    const other = await signIn(oauth, clientId)
    const second = await refresh(oauth, clientId, first.refresh_token)
    const reused = await refresh(oauth, clientId, first.refresh_token)
    expect(reused.error).toBe('bad_refresh_token')
    expect(reused.error_description).toRead()
    for (const token of [first.access_token, second.access_token]) {
      expect(isLive(oauth, token)).toBe(false)
    }
    expect(await refresh(oauth, clientId, second.refresh_token)).toMatchObject({
      error: 'bad_refresh_token',
      error_description: 'The refresh token passed is incorrect or expired.',
    })
    expect(isLive(oauth, other.access_token)).toBe(true)
    expect(await refresh(oauth, clientId, other.refresh_token)).not.toHaveProperty('error')
  })

  test('with a used one within the reuse interval returns tokens once more', async () => {
    const {oauth, clientId} = startApp(10_000)
    const first = await signIn(oauth, clientId)
    const second = await refresh(oauth, clientId, first.refresh_token)
    oauth.clock.now += 9999
    const again = await refresh(oauth, clientId, first.refresh_token)
    for (const {access_token} of [first, second, again]) {
      expect(isLive(oauth, access_token)).toBe(true)
    }
    oauth.clock.now += 1
    const late = await refresh(oauth, clientId, first.refresh_token)
    expect(late).toMatchObject({error: 'bad_refresh_token'})
    expect(isLive(oauth, again.access_token)).toBe(false)
  })

  test('needs no secret after the device flow, and one after the web flow', async () => {
    const {oauth, clientId, secret} = startApp()
    const browser = startBrowser(oauth)
    await browser.open(`/login/oauth/authorize?client_id=${clientId}&scope=drive`)
    const back = await browser.submit('/login/oauth/authorize', {decision: 'authorize'})
    const code = new URL(back.headers.location!).searchParams.get('code')!
    const app = {client_id: clientId, client_secret: secret}
    const granted = await ask(oauth, {...app, code})
    expect(await refresh(oauth, clientId, granted.refresh_token)).toMatchObject({
      error: 'incorrect_client_credentials',
    })
    const next = await refresh(oauth, clientId, granted.refresh_token, {client_secret: secret})
    expect(isLive(oauth, next.access_token)).toBe(true)
    const device = await signIn(oauth, clientId)
    expect(await refresh(oauth, clientId, device.refresh_token)).toHaveProperty('access_token')
  })

  test.each<[string, (of: ReturnType<typeof startApp>) => void, string]>([
    ['after half a year', ({oauth}) => (oauth.clock.now += 184 * 24 * HOUR), 'bad_refresh_token'],
    [
      'of a suspended app',
      ({oauth, clientId}) => suspendApp(oauth.store, clientId),
      'application_suspended',
    ],
    [
      'of an app that is gone',
      ({oauth, clientId}) => deleteApp(oauth.store, clientId, oauth.clock.now),
      'incorrect_client_credentials',
    ],
  ])('%s is rejected', async (_, change, error) => {
    const started = startApp()
    const {oauth, clientId} = started
    const granted = await signIn(oauth, clientId)
    change(started)
    expect(await refresh(oauth, clientId, granted.refresh_token)).toMatchObject({error})
  })

  test('by another app, or without a token, is rejected, and revokes nothing', async () => {
    const {oauth, clientId} = startApp()
    const granted = await signIn(oauth, clientId)
    const other = createApp(oauth.store, {name: 'Other', tokenLifetime: HOUR}, 0)
    for (const [id, token] of [
      [other.clientId, granted.refresh_token],
      [clientId, granted.access_token],
      [clientId, undefined],
    ] as const) {
      expect(await refresh(oauth, id, token)).toMatchObject({error: 'bad_refresh_token'})
    }
    expect(isLive(oauth, granted.access_token)).toBe(true)
    expect(await refresh(oauth, clientId, granted.refresh_token)).toHaveProperty('access_token')
  })

  test('of an app whose tokens no longer expire returns one that does not expire', async () => {
    const {oauth, clientId} = startApp()
    const granted = await signIn(oauth, clientId)
    updateApp(oauth.store, clientId, {tokenLifetime: null})
    const next = await refresh(oauth, clientId, granted.refresh_token)
    expect(Object.keys(next)).toEqual(['access_token', 'token_type', 'scope'])
    oauth.clock.now += 9 * HOUR
    expect(isLive(oauth, next.access_token)).toBe(true)
  })
})

test('keeps the ten newest sign-ins for the same scopes of an app', async () => {
  const {oauth, clientId} = startApp()
  const old = await signIn(oauth, clientId)
  let busy = await signIn(oauth, clientId)
  for (let count = 0; count < 12; count++) {
    busy = await refresh(oauth, clientId, busy.refresh_token)
  }
  expect(isLive(oauth, old.access_token)).toBe(true)
  for (let count = 0; count < 9; count++) await signIn(oauth, clientId)
  expect(isLive(oauth, old.access_token)).toBe(false)
  expect(await refresh(oauth, clientId, old.refresh_token)).toHaveProperty('error')
  expect(await refresh(oauth, clientId, busy.refresh_token)).toHaveProperty('access_token')
})

test('is not possible after the access of an app has ended', async () => {
  const {oauth, clientId} = startApp()
  const {store, clock} = oauth
  const granted = await signIn(oauth, clientId)
  const browser = startBrowser(oauth)
  await browser.signIn('local')
  const page = `/settings/connections/applications/${clientId}`
  clock.now += 9 * HOUR
  expect(notesOf((await browser.open(page)).text)).toRead()
  await browser.submit(page, {account: 'local'})
  expect(await refresh(oauth, clientId, granted.refresh_token)).toHaveProperty('error')
  expect(notesOf((await browser.open(page)).text)).toRead()

  ensureUser(store, 'ada', clock.now)
  const hers = await signIn(oauth, clientId, 'ada')
  deleteUser(store, ensureUser(store, 'ada', clock.now), clock.now)
  expect(await refresh(oauth, clientId, hers.refresh_token)).toHaveProperty('error')
})

test.each([
  [null, 0, false],
  [1000, 0, true],
  [1000, 10_001, false],
  [1000, 10_000, true],
])('a token used at %s with an interval of %i ms is stolen: %s', (used_at, reuse_interval, is) => {
  expect(isStolen({used_at}, {reuse_interval}, 11_000)).toBe(is)
})
