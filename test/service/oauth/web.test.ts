import {describe, expect, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {BUILTIN_CLIENT_ID, BUILTIN_CLIENT_SECRET} from '#lib/api/wire.js'
import {isRedirectAllowed, withQuery} from '#lib/service/oauth/flows/redirect.js'
import {createApp, suspendApp} from '#lib/service/oauth/store/apps.js'
import {findToken, liveTokens, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {createUser, ensureUser, suspendUser, userByLogin} from '#lib/service/store/users.js'
import {notesOf, type Oauth, ORIGIN, startBrowser, startOauth} from './calls.js'

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

/** Opens the page, decides, and returns the parameters of the redirect. */
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
  test('returns a token', async () => {
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
    expect(data).toMatchObject({token_type: 'bearer', scope: 'drive.readonly'})
    expect(findToken(oauth.store, String(data.access_token), oauth.clock.now)?.live).toBe(true)
    expect(await exchange(oauth, form)).toMatchObject({error: 'bad_verification_code'})
  })

  test('reports the first error of an exchange', async () => {
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

  test('grants scopes under the requested names, also without a new consent', async () => {
    const {oauth, clientId, secret} = startApp()
    const asked = ['drive.file', ...scopes('drive.metadata')]
    const granted = async (code: string | undefined) => {
      const form = {client_id: clientId, client_secret: secret, code: code!}
      return (await exchange(oauth, form)).scope
    }
    const first = await consent(oauth, {client_id: clientId, scope: asked.join(' ')})
    expect(await granted(first.code)).toBe(asked.join(','))
    // In any spelling, the app already has it.
    for (const scope of [undefined, 'drive.file', scopes('drive.file')[0]!]) {
      const wish = {client_id: clientId, ...(scope && {scope})}
      const {status, headers} = await startBrowser(oauth).open(address(wish))
      expect(status).toBe(302)
      expect(await granted(answerOf(headers.location!).code)).toBe(scope ?? asked.join(','))
    }
  })

  test('works for the app of drv, at any loopback port', async () => {
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

  test('informs the app about refusals of the user or the service', async () => {
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

  test('skips the page if the app already has the access', async () => {
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
  })

  test('asks again for the eleventh token within an hour, even if the others were revoked', async () => {
    const {oauth, clientId} = startApp()
    const {store, clock} = oauth
    const user = ensureUser(store, 'anna', clock.now)
    const grant = {user, clientId, scopes: scopes('drive.readonly')}
    for (let i = 0; i < 10; i++) mintToken(store, grant, clock.now)
    for (const {id} of liveTokens(store, user.id, clientId, clock.now).slice(1)) {
      revokeToken(store, id, clock.now)
    }
    const {status, text} = await oauth.send('GET', address({client_id: clientId}))
    expect(status).toBe(200)
    expect(notesOf(text)).toRead()
  })

  test('issues no token for an account with an unverified address', async () => {
    const {oauth, clientId, secret} = startApp()
    createUser(oauth.store, {login: 'anna', emailVerified: false}, oauth.clock.now)
    const {code} = await consent(oauth, {client_id: clientId})
    const form = {client_id: clientId, client_secret: secret, code: code!}
    expect(await exchange(oauth, form)).toMatchObject({error: 'unverified_user_email'})
  })

  test('rejects forms from other sites', async () => {
    const {oauth, clientId} = startApp()
    const form = {client_id: clientId, decision: 'authorize', account: 'local'}
    expect((await oauth.send('POST', AUTHORIZE, {form})).status).toBe(403)
  })

  test('allows its form to redirect to the app, in its content security policy', async () => {
    const {oauth, clientId} = startApp()
    const {headers} = await oauth.send('GET', address({client_id: clientId}))
    expect(headers['content-security-policy']).toContain("form-action 'self' https://app.example;")
  })
})

describe('the account', () => {
  function startTwo() {
    const app = startApp()
    for (const login of ['anna', 'bert']) ensureUser(app.oauth.store, login, 0)
    return {
      ...app,
      browser: startBrowser(app.oauth),
      wish: {client_id: app.clientId, scope: 'drive'},
    }
  }

  test('is signed in first, then the request continues', async () => {
    const {browser, wish} = startTwo()
    const first = await browser.open(address({...wish, state: 'a b', prompt: 'select_account'}))
    expect(first.status).toBe(302)
    const page = await browser.open(first.headers.location!)
    expect(page.headers['content-security-policy']).toContain('https://app.example')
    const done = await browser.submit('/login', {account: 'bert'})
    expect(done.headers.location).toBe(address({...wish, state: 'a b'}).replace(/%20/g, '+'))
    const asked = await browser.open(done.headers.location!)
    expect(asked.text).toContain('bert@example.com')
    expect(asked.text).not.toContain('anna@example.com')
  })

  test('is chosen if several are signed in, on request, and for native apps', async () => {
    const {oauth, browser, wish} = startTwo()
    await browser.signIn('anna')
    expect(notesOf((await browser.open(address(wish))).text)).toRead()
    const asked = await browser.open(address({...wish, prompt: 'select_account'}))
    expect(notesOf(asked.text)).toRead()
    const local = createApp(oauth.store, {name: 'Native', callbackUrl: 'native://open/cb'}, 0)
    const native = await browser.open(address({client_id: local.clientId}))
    expect(notesOf(native.text)).toRead()
    expect(native.headers['content-security-policy']).toContain("form-action 'self' native:;")
    await browser.signIn('bert')
    const several = await browser.open(address({...wish, login: 'Anna'}))
    expect(notesOf(several.text)).toRead()
    expect(several.text).toMatch(/account hinted[^>]*value="anna"/)
    const picked = await browser.submit(AUTHORIZE, {account: 'anna'})
    expect(picked.text).toContain('anna@example.com')
    const sent = await browser.submit(AUTHORIZE, {account: 'anna', decision: 'authorize'})
    expect(answerOf(sent.headers.location!).code).toBeDefined()
  })

  test('must be signed in with this browser', async () => {
    const {browser, wish} = startTwo()
    await browser.signIn('anna')
    await browser.open(address(wish))
    const other = await browser.submit(AUTHORIZE, {account: 'bert', decision: 'authorize'})
    expect(other).toMatchObject({status: 400})
    expect(notesOf(other.text)).toRead()
  })

  test('that is suggested is signed in; an unknown suggestion changes nothing', async () => {
    const {browser, wish} = startTwo()
    await browser.signIn('anna')
    const hinted = await browser.open(address({...wish, login: 'bert'}))
    const page = await browser.open(hinted.headers.location!)
    expect(page.text).toMatch(/account hinted[^>]*value="bert"/)
    expect((await browser.open(address({...wish, login: 'zoe'}))).status).toBe(200)
  })

  test('can be created, unless the app disallows it', async () => {
    const {oauth, browser, wish} = startTwo()
    const closed = await browser.open(address({...wish, allow_signup: 'false'}))
    const page = await browser.open(closed.headers.location!)
    expect(page.text).not.toContain('new_account')
    const refused = await browser.submit('/login', {new_account: 'carla'})
    expect(notesOf(refused.text)).toRead()
    await browser.open((await browser.open(address(wish))).headers.location!)
    expect((await browser.submit('/login', {new_account: '-x'})).status).toBe(400)
    expect((await browser.submit('/login', {new_account: 'anna'})).status).toBe(400)
    expect((await browser.submit('/login', {new_account: 'carla'})).status).toBe(302)
    expect(userByLogin(oauth.store, 'carla')).toBeDefined()
    expect((await browser.open(address(wish))).text).toContain('carla@example.com')
  })

  test('is signed out after signing out, after a month, and when suspended', async () => {
    const {oauth, browser, wish} = startTwo()
    const isIn = async () => (await browser.open(address(wish))).status === 200
    await browser.signIn('anna')
    expect(await isIn()).toBe(true)
    await browser.submit('/logout', {})
    expect(await isIn()).toBe(false)
    await browser.signIn('anna')
    oauth.clock.now += 30 * 24 * 3600 * 1000
    expect(await isIn()).toBe(false)
    ensureUser(oauth.store, 'carla', 0)
    await browser.signIn('anna')
    suspendUser(oauth.store, userByLogin(oauth.store, 'anna')!, true, oauth.clock.now)
    expect(await isIn()).toBe(false)
  })

  test('gets a new session at sign-in, and redirects only within this service', async () => {
    const {browser, oauth} = startTwo()
    const cookies: (string | undefined)[] = []
    for (const return_to of ['//evil.example', 'https://evil.example/', '/\\evil.example', 'x:y']) {
      const page = await browser.open(`/login?${new URLSearchParams({return_to}).toString()}`)
      expect(page.text).toContain('name="return_to" value="/settings/tokens"')
      const {headers} = await browser.submit('/login', {account: 'anna', return_to})
      expect(headers.location).toBe('/settings/tokens')
      cookies.push(headers['set-cookie'])
    }
    expect(new Set(cookies).size).toBe(4)
    expect((await oauth.send('POST', '/login', {form: {account: 'anna'}})).status).toBe(403)
  })
})

describe('the page of an app', () => {
  test('shows the access of each account, and revokes it', async () => {
    const {oauth, clientId} = startApp()
    const {store, clock} = oauth
    const path = `/settings/connections/applications/${clientId}`
    const tokens = ['anna', 'bert'].map(login => {
      const user = ensureUser(store, login, clock.now)
      return mintToken(store, {user, clientId, scopes: scopes('drive.file')}, clock.now)
    })
    const live = () => tokens.map(token => findToken(store, token, clock.now)?.live)
    const browser = startBrowser(oauth)
    expect((await browser.open(path)).headers.location).toContain('/login?return_to=')
    await browser.signIn('bert')
    await browser.signIn('anna')
    const page = await browser.open(path)
    expect(page.text).toContain('anna@example.com')
    expect(page.text).toContain('<small>drive.file</small>')
    expect((await oauth.send('POST', path, {form: {account: 'anna'}})).status).toBe(302)
    const forged = {account: 'anna', authenticity_token: 'x'}
    expect((await browser.submit(path, forged)).status).toBe(403)
    expect((await browser.submit(path, {account: 'nobody'})).status).toBe(400)
    expect(live()).toEqual([true, true])
    const after = await browser.submit(path, {account: 'anna'})
    expect(live()).toEqual([false, true])
    expect(notesOf(after.text)).toRead()
    await browser.signIn('bert')
    await browser.open(path)
    expect(notesOf((await browser.submit(path, {account: 'bert'})).text)).toRead()
    expect(live()).toEqual([false, false])
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
