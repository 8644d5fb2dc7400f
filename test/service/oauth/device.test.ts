import {describe, expect, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {BUILTIN_CLIENT_ID, DEVICE_GRANT} from '#lib/api/wire.js'
import {grantByUserCode, pollProblem} from '#lib/service/oauth/flows/device-flow.js'
import {createApp, suspendApp} from '#lib/service/oauth/store/apps.js'
import {findToken} from '#lib/service/oauth/store/tokens.js'
import {scopesOf} from '#lib/service/oauth/tokens/token.js'
import {openStore} from '#lib/service/store/index.js'
import {ensureUser} from '#lib/service/store/users.js'
import {decide, notesOf, type Oauth, ORIGIN, startBrowser, startOauth} from './calls.js'

const CODE = '/login/device/code'
const TOKEN = '/login/oauth/access_token'

async function codes(oauth: Oauth, form: Record<string, string> = {}) {
  const {data} = await oauth.post(CODE, {client_id: BUILTIN_CLIENT_ID, ...form})
  return {deviceCode: String(data.device_code), userCode: String(data.user_code)}
}

async function poll(oauth: Oauth, deviceCode: string, form: Record<string, string> = {}) {
  const all = {client_id: BUILTIN_CLIENT_ID, device_code: deviceCode, grant_type: DEVICE_GRANT}
  const {status, data} = await oauth.post(TOKEN, {...all, ...form})
  expect(status).toBe(200)
  return data
}

const SECOND = 1000

describe('device codes', () => {
  test('have the format of the specification', async () => {
    const oauth = startOauth()
    const {status, data, headers} = await oauth.post(CODE, {client_id: BUILTIN_CLIENT_ID})
    expect(status).toBe(200)
    expect(data).toEqual({
      device_code: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      user_code: expect.stringMatching(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/) as string,
      verification_uri: `${ORIGIN}/login/device`,
      expires_in: 900,
      interval: 5,
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    })
  })

  test('are stored as hashes', async () => {
    const oauth = startOauth()
    const {deviceCode, userCode} = await codes(oauth)
    const rows = JSON.stringify(oauth.store.all('SELECT * FROM device_grants'))
    expect(rows).not.toContain(deviceCode)
    expect(rows).not.toContain(userCode)
    expect(rows).not.toContain(userCode.replace('-', ''))
  })

  test('are refused to apps without the device flow', async () => {
    const oauth = startOauth()
    const plain = createApp(oauth.store, {name: 'Plain'}, oauth.clock.now)
    const blocked = createApp(oauth.store, {name: 'Blocked', deviceFlow: true}, oauth.clock.now)
    suspendApp(oauth.store, blocked.clientId)
    const table: [string, number, string][] = [
      ['nobody', 404, 'incorrect_client_credentials'],
      ['', 404, 'incorrect_client_credentials'],
      [plain.clientId, 400, 'device_flow_disabled'],
      [blocked.clientId, 400, 'application_suspended'],
    ]
    for (const [client_id, status, error] of table) {
      const answer = await oauth.post(CODE, {client_id})
      expect([answer.status, answer.data.error]).toEqual([status, error])
      expect(answer.data.error_uri).toBe(`${ORIGIN}/docs/oauth-errors#${error}`)
      expect(answer.data.error_description).toMatch(/\.$/)
    }
  })

  test('are recognized in any spelling', async () => {
    const oauth = startOauth()
    const {userCode} = await codes(oauth)
    const typed = [userCode, userCode.toLowerCase(), userCode.replace('-', ''), ` ${userCode} `]
    for (const text of typed) expect(grantByUserCode(oauth.store, text)).toBeDefined()
    expect(grantByUserCode(oauth.store, '')).toBeUndefined()
  })
})

describe('polling', () => {
  test('returns a token, once', async () => {
    const oauth = startOauth()
    const asked = 'drive.readonly drive.file no.such.scope drive.metadata.readonly'
    const {deviceCode, userCode} = await codes(oauth, {scope: asked})
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'authorization_pending'})

    await decide(oauth, userCode)
    oauth.clock.now += 5 * SECOND
    const answer = await poll(oauth, deviceCode)
    const granted = ['drive.file', 'drive.readonly']
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^drvo_[0-9A-Za-z]{36}$/) as string,
      token_type: 'bearer',
      scope: granted.join(','),
    })
    const token = findToken(oauth.store, String(answer.access_token), oauth.clock.now)
    expect(token).toMatchObject({
      live: true,
      client_id: BUILTIN_CLIENT_ID,
      user: {login: 'local'},
    })

    expect(scopesOf(token!)).toEqual(scopes('drive.file', 'drive.readonly'))

    oauth.clock.now += 5 * SECOND
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'incorrect_device_code'})
  })

  test.each([
    ['drive.readonly', 'drive.readonly'],
    [scopes('drive.readonly')[0]!, scopes('drive.readonly')[0]!],
    [`drive.file ${scopes('drive.readonly')[0]!}`, `drive.file,${scopes('drive.readonly')[0]!}`],
    [`drive.file ${scopes('drive.file')[0]!} drive.file`, 'drive.file'],
    [`${scopes('drive')[0]!} drive.readonly`, scopes('drive')[0]!],
  ])('grants %s under the requested names', async (scope, granted) => {
    const oauth = startOauth()
    const {deviceCode, userCode} = await codes(oauth, {scope})
    await decide(oauth, userCode)
    const answer = await poll(oauth, deviceCode)
    expect(answer.scope).toBe(granted)
    const headers = {authorization: `Bearer ${String(answer.access_token)}`}
    const user = await oauth.send('GET', '/user', {headers})
    expect(user.headers['x-oauth-scopes']).toBe(granted.replace(',', ', '))
  })

  test('without scopes returns a token without scopes', async () => {
    const oauth = startOauth()
    const {deviceCode, userCode} = await codes(oauth)
    await decide(oauth, userCode)
    expect(await poll(oauth, deviceCode)).toMatchObject({scope: ''})
  })

  test('too early makes the interval longer, each time and permanently', async () => {
    const oauth = startOauth()
    const {deviceCode, userCode} = await codes(oauth)
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'authorization_pending'})
    oauth.clock.now += 4999
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'slow_down', interval: 10})
    // The interval starts at the last poll, whatever its result.
    oauth.clock.now += 9999
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'slow_down', interval: 15})
    oauth.clock.now += 15 * SECOND
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'authorization_pending'})

    await decide(oauth, userCode)
    oauth.clock.now += 14_999
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'slow_down', interval: 20})
    oauth.clock.now += 20 * SECOND
    expect(await poll(oauth, deviceCode)).toMatchObject({token_type: 'bearer'})
  })

  test('ends when the code expires', async () => {
    const oauth = startOauth()
    const {deviceCode, userCode} = await codes(oauth)
    oauth.clock.now += 900 * SECOND - 1
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'authorization_pending'})
    oauth.clock.now += 1
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'expired_token'})

    const page = await decide(oauth, userCode)
    expect(page.status).toBe(400)
    oauth.clock.now += 5 * SECOND
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'expired_token'})
  })

  test('ends when the user cancels', async () => {
    const oauth = startOauth()
    const {deviceCode, userCode} = await codes(oauth)
    expect(notesOf((await decide(oauth, userCode, 'cancel')).text)).toRead()
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'access_denied'})
    expect(notesOf((await decide(oauth, userCode)).text)).toRead()
    oauth.clock.now += 5 * SECOND
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'access_denied'})
  })

  test('reports the first error', async () => {
    const oauth = startOauth()
    const {deviceCode} = await codes(oauth)
    const plain = createApp(oauth.store, {name: 'Plain'}, oauth.clock.now).clientId
    const other = createApp(
      oauth.store,
      {name: 'Other', deviceFlow: true},
      oauth.clock.now,
    ).clientId
    const table: [Record<string, string>, string][] = [
      [{grant_type: '', client_id: 'nobody'}, 'unsupported_grant_type'],
      [{grant_type: 'password'}, 'unsupported_grant_type'],
      [{client_id: 'nobody', device_code: 'x'}, 'incorrect_client_credentials'],
      [{client_id: ''}, 'incorrect_client_credentials'],
      [{client_id: plain}, 'device_flow_disabled'],
      [{client_id: other}, 'incorrect_device_code'],
      [{device_code: 'f'.repeat(40)}, 'incorrect_device_code'],
      [{device_code: ''}, 'incorrect_device_code'],
    ]
    for (const [form, error] of table) {
      expect(await poll(oauth, deviceCode, form), JSON.stringify(form)).toMatchObject({error})
    }
    const {data} = await oauth.post(TOKEN, {})
    expect(data.error).toBe('unsupported_grant_type')
  })

  test('reports errors in a fixed order', () => {
    const grant = {
      id: 1,
      client_id: 'x',
      scopes: '',
      state: 'denied',
      user_id: 1,
      interval: 5,
      polled_at: 1000,
      expires_at: 10_000,
      code_challenge: null,
    } as const
    expect(pollProblem(grant, 10_000)).toEqual({error: 'expired_token'})
    expect(pollProblem(grant, 5999)).toEqual({error: 'slow_down', interval: 10})
    expect(pollProblem(grant, 6000)).toEqual({error: 'access_denied'})
    expect(pollProblem({...grant, state: 'authorized'}, 6000)).toBeUndefined()
  })

  test('continues in another process', async () => {
    const oauth = startOauth()
    const {deviceCode, userCode} = await codes(oauth)
    const second = openStore(oauth.store.directory)
    try {
      const elsewhere = {...startOauth(second), clock: oauth.clock}
      await decide(elsewhere, userCode)
      expect(await poll(oauth, deviceCode)).toMatchObject({token_type: 'bearer'})
      expect(await poll(elsewhere, deviceCode)).toMatchObject({error: 'incorrect_device_code'})
    } finally {
      second.close()
    }
  })
})

describe('the page', () => {
  test('fills in the code of its URL, and escapes everything', async () => {
    const oauth = startOauth()
    const {text, headers} = await oauth.send('GET', '/login/device?user_code=%22%3E%3Cscript%3E')
    expect(text).toContain('value="&#34;&#62;&#60;script&#62;"')
    expect(text).not.toContain('<script')
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
    })
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self';/,
    )
    expect(headers['set-cookie']).toMatch(/; HttpOnly; SameSite=Lax$/)
  })

  test('names the app and the requested scopes', async () => {
    const oauth = startOauth()
    const {clientId} = createApp(oauth.store, {name: '<b>Sync</b>', deviceFlow: true}, 0)
    const {userCode} = await codes(oauth, {client_id: clientId, scope: 'drive.file'})
    const browser = startBrowser(oauth)
    await browser.open('/login/device')
    const {text} = await browser.submit('/login/device', {user_code: userCode})
    expect(text).toContain('&#60;b&#62;Sync&#60;/b&#62;')
    expect(text).toContain('<small>drive.file</small>')
    expect(text).toContain('local@example.com')
  })

  test('acts for the chosen account', async () => {
    const oauth = startOauth()
    ensureUser(oauth.store, 'anna', oauth.clock.now)
    ensureUser(oauth.store, 'bert', oauth.clock.now)
    const {deviceCode, userCode} = await codes(oauth)
    const closed = await oauth.send('GET', `/login/device?user_code=${userCode}`)
    expect(closed.headers.location).toBe(
      `/login?return_to=${encodeURIComponent(`/login/device?user_code=${userCode}`)}`,
    )
    const browser = startBrowser(oauth)
    const wrong = await browser.signIn('nobody')
    expect(wrong).toMatchObject({status: 400})
    expect(notesOf(wrong.text)).toRead()
    await browser.signIn('anna')
    await browser.open('/login/device')
    const entered = {user_code: userCode, decision: 'authorize'}
    const stranger = await browser.submit('/login/device', {...entered, account: 'bert'})
    expect(notesOf(stranger.text)).toRead()
    await browser.signIn('bert')
    await browser.open('/login/device')
    const confirm = await browser.submit('/login/device', {user_code: userCode})
    expect(confirm.text).toMatch(/value="bert"\s+checked/)
    expect(confirm.text).toMatch(/value="anna"/)
    await browser.submit('/login/device', {...entered, account: 'bert'})
    const {access_token} = await poll(oauth, deviceCode)
    const found = findToken(oauth.store, String(access_token), oauth.clock.now)
    expect(found?.user.login).toBe('bert')
  })

  test('rejects forms from other sites', async () => {
    const oauth = startOauth()
    const {deviceCode, userCode} = await codes(oauth)
    const entry = await oauth.send('GET', '/login/device')
    const cookie = entry.headers['set-cookie']!.split(';')[0]!
    const token = /name="authenticity_token" value="([^"]+)"/.exec(entry.text)![1]!
    const form = {user_code: userCode, decision: 'authorize', account: 'local'}
    const good = {...form, authenticity_token: token}
    const table: [Record<string, string>, Record<string, string>][] = [
      [form, {cookie}],
      [{...form, authenticity_token: 'x'}, {cookie}],
      [good, {}],
      [good, {cookie: cookie.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))}],
      [good, {cookie, origin: 'http://127.0.0.1:9999'}],
      [good, {cookie, origin: 'null'}],
    ]
    for (const [fields, headers] of table) {
      const {status} = await oauth.send('POST', '/login/device', {form: fields, headers})
      expect(status, JSON.stringify([fields, headers])).toBe(403)
    }
    ensureUser(oauth.store, 'local', oauth.clock.now)
    expect(await poll(oauth, deviceCode)).toMatchObject({error: 'authorization_pending'})
    const sent = await oauth.send('POST', '/login/device', {form: good, headers: {cookie}})
    expect(notesOf(sent.text)).toRead()
  })

  test.each(['right', 'unknown'])('accepts fifty %s codes an hour', async kind => {
    const oauth = startOauth()
    const {userCode} = await codes(oauth)
    const browser = startBrowser(oauth)
    await browser.open('/login/device')
    const code = kind === 'right' ? userCode : 'ZZZZ-ZZZZ'
    const enter = (user_code: string) => browser.submit('/login/device', {user_code})
    for (let i = 0; i < 50; i++) {
      expect((await enter(code)).status).toBe(kind === 'right' ? 200 : 400)
    }
    oauth.clock.now += 60 * SECOND
    const refused = await oauth.send('GET', '/login/device')
    expect(refused.status).toBe(200)
    await browser.open('/login/device')
    expect(await enter(userCode)).toMatchObject({status: 429, headers: {'retry-after': '3540'}})
    oauth.clock.now += 3540 * SECOND
    await browser.open('/login/device')
    const fresh = await codes(oauth)
    expect((await enter(fresh.userCode)).status).toBe(200)
  })

  test('counts codes per app', async () => {
    const oauth = startOauth()
    const {clientId} = createApp(oauth.store, {name: 'Other', deviceFlow: true}, oauth.clock.now)
    const busy = await codes(oauth)
    const calm = await codes(oauth, {client_id: clientId})
    const browser = startBrowser(oauth)
    await browser.open('/login/device')
    const enter = (user_code: string) => browser.submit('/login/device', {user_code})
    for (let i = 0; i < 50; i++) await enter(busy.userCode)
    expect((await enter(busy.userCode)).status).toBe(429)
    await browser.open('/login/device')
    expect((await enter(calm.userCode)).status).toBe(200)
  })
})
