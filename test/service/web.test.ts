import {describe, expect, test} from 'vitest'
import {scopes} from '../../src/lib/api/description/scopes.js'
import {BUILTIN_CLIENT_ID, BUILTIN_CLIENT_SECRET} from '../../src/lib/api/wire.js'
import {createApp, suspendApp} from '../../src/lib/service/oauth/apps.js'
import {isRedirectAllowed, withQuery} from '../../src/lib/service/oauth/redirect.js'
import {findToken, liveTokens, mintToken} from '../../src/lib/service/oauth/tokens.js'
import {ensureUser, userByLogin} from '../../src/lib/service/store/users.js'
import {type Oauth, ORIGIN, startBrowser, startOauth} from './oauthCalls.js'

const CALLBACK = 'https://app.example/back?from=drv'
const AUTHORIZE = '/login/oauth/authorize'

function startApp() {
  const oauth = startOauth()
  const app = createApp(oauth.store, {name: 'Sync', callbackUrl: CALLBACK}, oauth.clock.now)
  return {oauth, clientId: app.clientId, secret: app.secret!}
}

function address(parameters: Record<string, string>): string {
  return `${AUTHORIZE}?${new URLSearchParams(parameters).toString()}`
}

/** Opens the page, decides, and reads the parameters of the address the user is sent to. */
async function consent(
  oauth: Oauth,
  parameters: Record<string, string>,
  fields: Record<string, string> = {decision: 'authorize'},
) {
  const browser = startBrowser(oauth)
  const page = await browser.open(address(parameters))
  expect(page.status).toBe(200)
  const {status, headers} = await browser.submit(AUTHORIZE, fields)
  expect(status).toBe(302)
  return answerOf(headers.location!)
}

function answerOf(location: string): Record<string, string> {
  return Object.fromEntries(new URL(location).searchParams)
}

const exchange = async (oauth: Oauth, form: Record<string, string>) => {
  const {status, data} = await oauth.post('/login/oauth/access_token', form)
  expect(status).toBe(200)
  return data
}

describe('the web flow', () => {
  test('ends in a token', async () => {
    const {oauth, clientId, secret} = startApp()
    const state = 'a b+c&d=é'
    const answer = await consent(oauth, {client_id: clientId, scope: 'drive.readonly', state})
    expect(answer).toEqual({
      from: 'drv',
      code: expect.stringMatching(/^[0-9a-f]{20}$/) as string,
      state,
    })
    const form = {client_id: clientId, client_secret: secret, code: answer.code!}
    const data = await exchange(oauth, form)
    expect(data).toMatchObject({token_type: 'bearer', scope: scopes('drive.readonly').join(',')})
    expect(findToken(oauth.store, String(data.access_token), oauth.clock.now)?.live).toBe(true)
    expect(await exchange(oauth, form)).toMatchObject({error: 'bad_verification_code'})
  })

  test('names the first thing that is wrong with an exchange', async () => {
    const {oauth, clientId, secret} = startApp()
    const {code} = await consent(oauth, {
      client_id: clientId,
      redirect_uri: 'https://app.example/back/x',
    })
    const other = createApp(oauth.store, {name: 'Other', callbackUrl: CALLBACK}, 0)
    const good = {client_id: clientId, client_secret: secret, code: code!}
    const table: [Record<string, string>, string][] = [
      [{...good, client_id: 'nobody', code: 'x'}, 'incorrect_client_credentials'],
      [{...good, client_secret: 'x'}, 'incorrect_client_credentials'],
      [{client_id: clientId, code: code!}, 'incorrect_client_credentials'],
      [{...good, grant_type: 'password'}, 'unsupported_grant_type'],
      [{...good, code: 'x', redirect_uri: 'x'}, 'bad_verification_code'],
      [
        {client_id: other.clientId, client_secret: other.secret!, code: code!},
        'bad_verification_code',
      ],
      [{...good, redirect_uri: 'https://app.example/back'}, 'redirect_uri_mismatch'],
    ]
    for (const [form, error] of table) expect(await exchange(oauth, form)).toMatchObject({error})
    const right = {...good, redirect_uri: 'https://app.example/back/x'}
    oauth.clock.now += 600_000
    expect(await exchange(oauth, right)).toMatchObject({error: 'bad_verification_code'})
    oauth.clock.now -= 1
    const data = await exchange(oauth, {...right, grant_type: 'authorization_code'})
    expect(data).toMatchObject({token_type: 'bearer', scope: ''})
  })

  test('works for the app that drv is, at any loopback port', async () => {
    const oauth = startOauth()
    const redirect_uri = 'http://127.0.0.1:49152/callback'
    const {code} = await consent(oauth, {
      client_id: BUILTIN_CLIENT_ID,
      redirect_uri,
      scope: 'drive',
    })
    const data = await exchange(oauth, {
      client_id: BUILTIN_CLIENT_ID,
      client_secret: BUILTIN_CLIENT_SECRET,
      code: code!,
      redirect_uri,
    })
    expect(data).toMatchObject({token_type: 'bearer'})
  })

  test('tells the app what the user or the service refuses', async () => {
    const {oauth, clientId} = startApp()
    const wish = {client_id: clientId, state: 's'}
    const denied = await consent(oauth, wish, {decision: 'cancel'})
    expect(denied).toMatchObject({
      error: 'access_denied',
      error_description: 'The user has denied your application access.',
      error_uri: `${ORIGIN}/docs/oauth-errors#access_denied`,
      state: 's',
    })
    const elsewhere = address({...wish, redirect_uri: 'https://evil.example/back'})
    const {headers} = await oauth.send('GET', elsewhere)
    expect(headers.location).toMatch(/^https:\/\/app\.example\/back\?from=drv&error=/)
    expect(answerOf(headers.location!)).toMatchObject({error: 'redirect_uri_mismatch', state: 's'})
    suspendApp(oauth.store, clientId)
    const blocked = await oauth.send('GET', address(wish))
    expect(answerOf(blocked.headers.location!)).toMatchObject({error: 'application_suspended'})
    expect((await oauth.send('GET', address({client_id: 'nobody'}))).status).toBe(404)
  })

  test('passes the page where the app has what it asks for', async () => {
    const {oauth, clientId} = startApp()
    const user = ensureUser(oauth.store, 'anna', oauth.clock.now)
    const open = (parameters: Record<string, string> = {}) =>
      oauth.send('GET', address({client_id: clientId, ...parameters}))
    expect((await open()).status).toBe(200)
    const mint = () =>
      mintToken(oauth.store, {user, clientId, scopes: scopes('drive.readonly')}, oauth.clock.now)
    mint()
    expect((await open()).status).toBe(302)
    expect((await open({scope: 'drive.metadata.readonly'})).status).toBe(302)
    expect((await open({scope: 'drive'})).status).toBe(200)
    expect((await open({prompt: 'select_account'})).status).toBe(200)
    for (let i = 0; i < 10; i++) mint()
    expect((await open()).status).toBe(200)
    expect(liveTokens(oauth.store, user.id, clientId, oauth.clock.now)).toHaveLength(10)
    oauth.clock.now += 60 * 60 * 1000
    expect((await open()).status).toBe(302)
    ensureUser(oauth.store, 'bert', oauth.clock.now)
    expect((await open({login: 'bert'})).text).toMatch(/value="bert"\s+selected/)
  })

  test('makes an account where that is allowed', async () => {
    const {oauth, clientId} = startApp()
    const fields = {decision: 'authorize', new_account: 'carla'}
    const closed = {client_id: clientId, allow_signup: 'false'}
    const browser = startBrowser(oauth)
    expect((await browser.open(address(closed))).text).not.toContain('new_account')
    const refused = await browser.submit(AUTHORIZE, fields)
    expect(refused.text).toContain('New accounts are not allowed here.')
    expect((await consent(oauth, {client_id: clientId}, fields)).code).toBeDefined()
    expect(userByLogin(oauth.store, 'carla')).toBeDefined()
    await browser.open(address({client_id: clientId}))
    const strange = await browser.submit(AUTHORIZE, {...fields, new_account: '-x'})
    expect(strange.status).toBe(400)
  })

  test('takes no form from elsewhere', async () => {
    const {oauth, clientId} = startApp()
    const form = {client_id: clientId, decision: 'authorize', account: 'local'}
    expect((await oauth.send('POST', AUTHORIZE, {form})).status).toBe(403)
  })

  test('lets its form lead to the app, which browsers ask of the policy', async () => {
    const {oauth, clientId} = startApp()
    const {headers} = await oauth.send('GET', address({client_id: clientId}))
    expect(headers['content-security-policy']).toContain("form-action 'self' https://app.example;")
  })
})

describe('the page of an app', () => {
  test('shows what each account gave it, and takes that back', async () => {
    const {oauth, clientId} = startApp()
    const {store, clock} = oauth
    const path = `/settings/connections/applications/${clientId}`
    const tokens = ['anna', 'bert'].map(login => {
      const user = ensureUser(store, login, clock.now)
      return mintToken(store, {user, clientId, scopes: scopes('drive.file')}, clock.now)
    })
    const live = () => tokens.map(token => findToken(store, token, clock.now)?.live)
    const browser = startBrowser(oauth)
    const page = await browser.open(path)
    expect(page.text).toContain('anna@example.com')
    expect(page.text).toContain('Full access to files made or opened with this app')
    expect((await oauth.send('POST', path, {form: {account: 'anna'}})).status).toBe(403)
    expect((await browser.submit(path, {account: 'nobody'})).status).toBe(400)
    expect(live()).toEqual([true, true])
    const after = await browser.submit(path, {account: 'anna'})
    expect(live()).toEqual([false, true])
    expect(after.text).not.toContain('anna@example.com')
    expect((await browser.submit(path, {account: 'bert'})).text).toContain('has no access')
    expect((await browser.open('/settings/connections/applications/nobody')).status).toBe(404)
  })
})

describe('a redirect address', () => {
  test.each([
    ['http://example.com/path', 'http://example.com/path', true],
    ['http://example.com/path', 'http://example.com/path/subdir/other', true],
    ['http://example.com/path', 'http://oauth.example.com/path', true],
    ['http://example.com/path', 'http://example.com/bar', false],
    ['http://example.com/path', 'http://example.com/', false],
    ['http://example.com/path', 'http://example.com/pathology', false],
    ['http://example.com/path', 'http://example.com/path/../bar', false],
    ['http://example.com/path', 'http://example.com/path/%2e%2e/bar', false],
    ['http://example.com/path', 'http://example.com:8080/path', false],
    ['http://example.com/path', 'http://oauth.example.com:8080/path', false],
    ['http://example.com/path', 'http://example.org/path', false],
    ['http://example.com/path', 'http://badexample.com/path', false],
    ['http://example.com/path', 'http://example.com@evil.example/path', false],
    ['http://example.com/path', 'http://u:p@example.com/path', false],
    ['http://example.com/path', 'https://example.com/path', false],
    ['http://example.com/path', 'http://127.0.0.1/path', false],
    ['http://example.com/path', '/path', false],
    ['http://example.com', 'http://example.com/anything', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:50000/cb', true],
    ['http://127.0.0.1/cb', 'http://[::1]:50000/cb/x', true],
    ['http://localhost:3000/cb', 'http://127.0.0.1:50000/cb', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:50000/other', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example/cb', false],
    ['myapp://open/cb', 'myapp://open/cb', true],
    ['myapp://open/cb', 'other://open/cb', false],
    ['javascript:alert(1)', 'javascript:alert(1)', false],
  ])('callback %s, requested %s: %s', (callback, requested, allowed) => {
    expect(isRedirectAllowed(callback, requested)).toBe(allowed)
  })

  test('keeps its query', () => {
    expect(withQuery('https://a.example/?x=%20y', {code: 'c', state: undefined})).toBe(
      'https://a.example/?x=%20y&code=c',
    )
    expect(withQuery('https://a.example/cb', {state: 'a b'})).toBe(
      'https://a.example/cb?state=a%20b',
    )
  })
})
