import {describe, expect, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {DEVICE_GRANT} from '#lib/api/wire.js'
import {authenticate} from '#lib/service/oauth/guard/authenticate.js'
import {createApp, deleteApp, updateApp} from '#lib/service/oauth/store/apps.js'
import {findToken} from '#lib/service/oauth/store/tokens.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {ensureUser} from '#lib/service/store/users.js'
import {decide, notesOf, startBrowser, startOauth} from './calls.js'

/** An app that two users have authorized, with every kind of sign-in in progress when its access is revoked. */
async function startApp() {
  const oauth = startOauth()
  const {store, clock} = oauth
  const [anna, bert] = ['anna', 'bert'].map(login => ensureUser(store, login, clock.now))
  const {clientId, secret} = createApp(
    store,
    {name: 'Sync', callbackUrl: 'https://app.example/back', deviceFlow: true},
    clock.now,
  )
  const app = {client_id: clientId}
  const review = `/settings/connections/applications/${clientId}`

  /** A device code that is undecided, or that this user has authorized. */
  const deviceCode = async (login?: string) => {
    const {data} = await oauth.post('/login/device/code', {...app, scope: 'drive.file'})
    if (login) await decide(oauth, String(data.user_code), 'authorize', login)
    return String(data.device_code)
  }
  const webCode = async (login: string) => {
    const browser = startBrowser(oauth)
    await browser.signIn(login)
    await browser.open(`/login/oauth/authorize?client_id=${clientId}&scope=drive.readonly`)
    const {headers} = await browser.submit('/login/oauth/authorize', {decision: 'authorize'})
    return new URL(headers.location!).searchParams.get('code')!
  }
  const fetchToken = async (form: Record<string, string>) =>
    (await oauth.post('/login/oauth/access_token', {...app, ...form})).data
  return {
    oauth,
    store,
    clock,
    clientId,
    anna: anna!,
    bert: bert!,
    review,
    deviceCode,
    webCode,
    poll: (code: string) => fetchToken({device_code: code, grant_type: DEVICE_GRANT}),
    exchange: (code: string) => fetchToken({client_secret: secret!, code}),
  }
}

describe('an app whose access is revoked', () => {
  test('by a user gets no token for an earlier authorization of that user', async () => {
    const {oauth, review, deviceCode, webCode, poll, exchange} = await startApp()
    const [device, code] = [await deviceCode('anna'), await webCode('anna')]
    const [otherDevice, otherCode] = [await deviceCode('bert'), await webCode('bert')]
    const open = await deviceCode()

    const browser = startBrowser(oauth)
    await browser.signIn('anna')
    const page = await browser.open(review)
    expect(page.text).toContain('<small>drive.readonly</small>')
    expect(notesOf(page.text)).toRead()
    expect((await browser.open('/settings/applications')).text).toContain(review)
    await browser.open(review)
    expect(notesOf((await browser.submit(review, {account: 'anna'})).text)).toRead()
    expect((await browser.open('/settings/applications')).text).not.toContain(review)

    expect(await poll(device)).toMatchObject({error: 'access_denied'})
    expect(await exchange(code)).toMatchObject({error: 'bad_verification_code'})
    // Authorizations by others continue, and so do undecided ones.
    expect(await poll(otherDevice)).toHaveProperty('access_token')
    expect(await exchange(otherCode)).toHaveProperty('access_token')
    expect(await poll(open)).toMatchObject({error: 'authorization_pending'})
  })

  test('by a user may request access again', async () => {
    const {oauth, review, deviceCode, poll} = await startApp()
    await deviceCode('anna')
    const browser = startBrowser(oauth)
    await browser.signIn('anna')
    await browser.open(review)
    await browser.submit(review, {account: 'anna'})
    expect(await poll(await deviceCode('anna'))).toHaveProperty('access_token')
  })

  test('by its owner gets no token, and no pending code can be approved', async () => {
    const {oauth, store, clock, clientId, deviceCode, webCode, poll, exchange} = await startApp()
    const [device, code] = [await deviceCode('anna'), await webCode('anna')]
    const {data} = await oauth.post('/login/device/code', {client_id: clientId})
    deleteApp(store, clientId, clock.now)
    expect(await poll(device)).toMatchObject({error: 'incorrect_client_credentials'})
    expect(await exchange(code)).toMatchObject({error: 'incorrect_client_credentials'})
    expect((await decide(oauth, String(data.user_code), 'authorize', 'anna')).status).toBe(400)
    // Another app of the same name inherits nothing.
    createApp(store, {name: 'Sync', clientId, deviceFlow: true, isPublic: true}, clock.now)
    expect(await poll(device)).toMatchObject({error: 'incorrect_device_code'})
  })

  test.each(['https://new.example/back', null])(
    'by a change of its URL to %j gets no token for codes sent there',
    async callbackUrl => {
      const {store, clientId, deviceCode, webCode, poll, exchange} = await startApp()
      const [device, code] = [await deviceCode('anna'), await webCode('anna')]
      const other = await webCode('bert')
      updateApp(store, clientId, {name: 'Sync 2', callbackUrl: 'https://app.example/back'})
      expect(await exchange(other)).toHaveProperty('access_token')
      updateApp(store, clientId, {callbackUrl})
      expect(await exchange(code)).toMatchObject({error: 'bad_verification_code'})
      expect(await poll(device)).toHaveProperty('access_token')
    },
  )

  test('by its owner keeps its tokens known, so that they count against their user', async () => {
    const {store, clock, clientId, anna, bert} = await startApp()
    const grant = {clientId, scopes: scopes('drive')}
    const [token, other] = [anna, bert].map(user => mintToken(store, {...grant, user}, clock.now))
    deleteApp(store, clientId, clock.now)
    expect(findToken(store, token!, clock.now)).toMatchObject({live: false, user: {login: 'anna'}})
    const reason = (name: string) =>
      expect.objectContaining({detail: expect.objectContaining({reason: name})})
    const withToken = (text: string) => () =>
      authenticate(store, {authorization: `Bearer ${text}`}, clock.now)
    for (let i = 0; i < 10; i++) expect(withToken(token!)).toThrow(reason('authError'))
    expect(withToken(mintToken(store, {user: anna, scopes: []}, clock.now))).toThrow(
      reason('loginAttemptsExceeded'),
    )
    expect(withToken(other!)).toThrow(reason('authError'))
  })
})
