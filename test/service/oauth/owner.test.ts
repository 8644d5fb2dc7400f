import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {BUILTIN_CLIENT_ID, BUILTIN_CLIENT_SECRET} from '#lib/api/wire.js'
import {authorizeAddress} from '#lib/auth/server/auth-server.js'
import {authorizeDevice, authorizeWeb} from '../../support/person.js'
import {startTestService, type TestService} from '../harness.js'
import {notesOf} from './calls.js'

/** A service that one command runs for itself, where nobody else on the machine can sign in. */

let service: TestService
beforeAll(async () => {
  service = await startTestService({isOwned: true})
})
afterAll(() => service.close())

type Headers = Readonly<Record<string, string>>

function send(path: string, form?: Headers, headers: Headers = {}) {
  return fetch(new URL(path, service.url), {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    headers: {accept: 'application/json', ...headers},
    ...(form && {body: new URLSearchParams(form)}),
  })
}

const PAGES = [
  '/',
  '/login',
  '/login/device',
  '/login/oauth/authorize?client_id=drv-cli',
  '/settings/tokens',
  '/settings/tokens/new',
  '/settings/applications',
  '/settings/connections/applications/drv-cli',
  '/orgs/1/sso',
]
const FORMS: ReadonlyArray<readonly [string, Headers]> = [
  ['/login', {account: 'local'}],
  ['/login/device', {user_code: 'AAAA-AAAA', decision: 'authorize', account: 'local'}],
  ['/login/oauth/authorize', {client_id: BUILTIN_CLIENT_ID, decision: 'authorize'}],
  ['/settings/tokens', {action: 'create', note: 'mine', scope: 'drive'}],
  ['/login/device/code', {client_id: BUILTIN_CLIENT_ID}],
  ['/login/oauth/access_token', {client_id: BUILTIN_CLIENT_ID, code: 'x'}],
  ['/logout', {}],
]

describe('a user who knows only its port', () => {
  test.each(PAGES)('gets no page: %s', async path => {
    const response = await send(path)
    expect(response.status).toBe(403)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(notesOf(await response.text())).toRead()
  })

  test.each(FORMS)('cannot send a form: %s', async (path, form) => {
    const {status} = await send(path, form, {cookie: `drv_session=${'a'.repeat(32)}`})
    expect(status).toBe(403)
  })

  test('gets no token by a name without a password', async () => {
    const tokens = () => service.store.all('SELECT 1 FROM tokens').length
    const before = tokens()
    const authorization = `Basic ${btoa('local:')}`
    expect((await send('/settings/tokens', {note: 'mine'}, {authorization})).status).toBe(403)
    expect(tokens()).toBe(before)
  })

  test('can use a token they have', async () => {
    const authorization = `Bearer ${service.token()}`
    expect((await send('/user', undefined, {authorization})).status).toBe(200)
    expect((await send('/drive/v2/about', undefined, {authorization})).status).toBe(200)
  })
})

describe('the command that runs it', () => {
  test('signs in with a code, on the page that it names', async () => {
    const {headers, page} = service.owner!
    const form = {client_id: BUILTIN_CLIENT_ID, scope: 'drive'}
    const asked = await send('/login/device/code', form, headers)
    const {device_code, user_code, verification_uri} = (await asked.json()) as Record<
      string,
      string
    >
    expect(notesOf(await authorizeDevice(page(verification_uri!), user_code!))).toRead()
    const grant = {
      client_id: BUILTIN_CLIENT_ID,
      device_code: device_code!,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    }
    expect((await send('/login/oauth/access_token', grant)).status).toBe(403)
    const answer = await send('/login/oauth/access_token', grant, headers)
    expect(await answer.json()).toHaveProperty('access_token')
  })

  test('signs in through a browser that redirects back', async () => {
    const {headers, page} = service.owner!
    const {url} = await import('../../support/serve.js').then(({serve}) =>
      serve((request, response) => response.end(request.url)),
    )
    const redirectUri = `${url.replace('localhost', '127.0.0.1')}/callback`
    const flow = {authUrl: service.url, clientId: BUILTIN_CLIENT_ID, scopes: ['drive'], state: 's'}
    const reached = await authorizeWeb(page(authorizeAddress(flow, redirectUri)))
    const code = new URL(reached, url).searchParams.get('code')!
    const form = {
      client_id: BUILTIN_CLIENT_ID,
      client_secret: BUILTIN_CLIENT_SECRET,
      code,
      redirect_uri: redirectUri,
    }
    expect((await send('/login/oauth/access_token', form)).status).toBe(403)
    const answer = await send('/login/oauth/access_token', form, headers)
    expect(await answer.json()).toHaveProperty('access_token')
  })

  test('its last page links to no URL that ends with the command', async () => {
    const {headers, page} = service.owner!
    const form = {client_id: BUILTIN_CLIENT_ID}
    const codes = await (await send('/login/device/code', form, headers)).json()
    const {user_code, verification_uri} = codes as Record<string, string>
    const done = await authorizeDevice(page(verification_uri!), user_code!)
    expect(done).toContain('drv local serve')
    expect(done).not.toMatch(/<a /)
  })

  test('the key of its pages grants no token, and is removed from the URL', async () => {
    const {page} = service.owner!
    const opened = await send(page(`${service.url}/login/device?user_code=A`))
    expect(opened.status).toBe(302)
    expect(opened.headers.get('location')).toBe('/login/device?user_code=A')
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
    expect((await send('/login/device', undefined, {cookie})).status).toBe(200)
    expect((await send('/settings/tokens', undefined, {cookie})).status).toBe(403)
    expect((await send(page(`${service.url}/settings/tokens`))).status).toBe(403)
    const form = {client_id: BUILTIN_CLIENT_ID}
    expect((await send('/login/device/code', form, {cookie})).status).toBe(403)
    const wrong = `${cookie.slice(0, -1)}${cookie.endsWith('a') ? 'b' : 'a'}`
    expect((await send('/login/device', undefined, {cookie: wrong})).status).toBe(403)
  })
})

test('a service without an owner lets everybody sign in', async () => {
  const open = await startTestService()
  try {
    expect(open.owner).toBeUndefined()
    expect((await open.send('GET', '/settings/tokens', {token: null})).status).toBe(200)
  } finally {
    await open.close()
  }
})
