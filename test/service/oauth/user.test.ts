import {describe, expect, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {BUILTIN_CLIENT_ID} from '#lib/api/wire.js'
import {createApp} from '#lib/service/oauth/store/apps.js'
import {findToken, revokeToken} from '#lib/service/oauth/store/tokens.js'
import {mintToken} from '#lib/service/oauth/tokens/mint-token.js'
import {secretHash} from '#lib/service/oauth/tokens/secrets.js'
import {createUser} from '#lib/service/store/users.js'
import {type OauthRequest, ORIGIN, startOauth} from './calls.js'

function start() {
  const oauth = startOauth()
  const {store, clock} = oauth
  const user = createUser(store, {login: 'anna', name: 'Anna Berg'}, clock.now)
  const app = createApp(store, {name: 'Sync'}, clock.now)
  const clientId = app.clientId
  const token = mintToken(store, {user, clientId, scopes: scopes('drive')}, clock.now)
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  })
  const check = (request: OauthRequest, id = clientId) =>
    oauth.send('POST', `/applications/${id}/token`, request)
  return {oauth, user, token, clientId, secret: app.secret!, basic, check}
}

describe('GET /user', () => {
  test('returns the owner of the token', async () => {
    const {oauth, user, token, clientId} = start()
    const headers = {authorization: `Bearer ${token}`}
    const answer = await oauth.send('GET', '/user', {headers})
    expect(answer.status).toBe(200)
    expect(answer.data).toEqual({
      login: 'anna',
      id: user.id,
      node_id: expect.any(String) as string,
      url: `${ORIGIN}/user`,
      html_url: `${ORIGIN}/users/anna`,
      avatar_url: `${ORIGIN}/avatars/${user.permission_id}.svg`,
      type: 'User',
      name: 'Anna Berg',
      email: 'anna@example.com',
      created_at: '2026-11-21T09:30:00Z',
      updated_at: '2026-11-21T09:30:00Z',
    })
    expect(answer.headers).toMatchObject({
      'x-oauth-scopes': scopes('drive')[0],
      'x-accepted-oauth-scopes': '',
      'x-oauth-client-id': clientId,
      'x-service-api-version-selected': '2022-11-28',
    })
  })

  test('takes a token without scopes', async () => {
    const {oauth, user} = start()
    const token = mintToken(oauth.store, {user, scopes: []}, oauth.clock.now)
    const headers = {authorization: `token ${token}`}
    const answer = await oauth.send('GET', '/user', {headers})
    expect([answer.status, answer.headers['x-oauth-scopes']]).toEqual([200, ''])
  })

  test.each([
    [401, {}],
    [401, {authorization: 'Bearer x'}],
    [401, {authorization: 'Basic eDp5'}],
    [400, {'x-service-api-version': '2001-01-01'}],
  ])('%i %j', async (status, headers) => {
    const {oauth} = start()
    const answer = await oauth.send('GET', '/user', {headers})
    expect(answer.status).toBe(status)
    expect(answer.data).toEqual({
      message: expect.any(String) as string,
      documentation_url: `${ORIGIN}/docs/oauth-errors`,
      status: String(status),
    })
    expect(answer.data.message).toRead()
    if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm=/)
  })

  test('accepts no token from the query', async () => {
    const {oauth, token} = start()
    expect((await oauth.send('GET', `/user?access_token=${token}`)).status).toBe(401)
  })

  test('is locked after too many bad tokens', async () => {
    const {oauth, token, user} = start()
    const {store, clock} = oauth
    const revoked = mintToken(store, {user, scopes: []}, clock.now)
    revokeToken(store, findToken(store, revoked, clock.now)!.id, clock.now)
    const get = (sent: string) =>
      oauth.send('GET', '/user', {headers: {authorization: `Bearer ${sent}`}})
    for (let i = 0; i < 10; i++) expect((await get(revoked)).status).toBe(401)
    expect(await get(token)).toMatchObject({
      status: 403,
      data: {message: 'Maximum number of login attempts exceeded. Please try again later.'},
    })
    oauth.clock.now += 60_000
    expect((await get(token)).status).toBe(200)
  })
})

describe('the check of a token', () => {
  test('returns the token of the app', async () => {
    const {oauth, token, clientId, secret, basic, check, user} = start()
    const {status, data} = await check({
      json: {access_token: token},
      headers: basic(clientId, secret),
    })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      id: findToken(oauth.store, token, oauth.clock.now)!.id,
      app: {client_id: clientId, name: 'Sync'},
      token,
      hashed_token: secretHash(token),
      token_last_eight: token.slice(-8),
      created_at: '2026-11-21T09:30:00Z',
      expires_at: null,
      scopes: scopes('drive'),
      user: {login: 'anna', id: user.id},
    })
  })

  test('returns the scopes as the app requested them', async () => {
    const {oauth, clientId, secret, basic, check, user} = start()
    const asked = ['drive.file', ...scopes('drive.metadata')]
    const token = mintToken(oauth.store, {user, clientId, scopes: asked}, oauth.clock.now)
    const headers = basic(clientId, secret)
    expect((await check({json: {access_token: token}, headers})).data.scopes).toEqual(asked)
  })

  test('refuses', async () => {
    const {oauth, token, clientId, secret, basic, check, user} = start()
    const {store, clock} = oauth
    const other = createApp(store, {name: 'Other'}, clock.now)
    const revoked = mintToken(store, {user, clientId, scopes: []}, clock.now)
    revokeToken(store, findToken(store, revoked, clock.now)!.id, clock.now)
    const personal = mintToken(store, {user, scopes: []}, clock.now)
    const json = {access_token: token}
    const headers = basic(clientId, secret)
    const table: [number, OauthRequest, string?][] = [
      [401, {json}],
      [401, {json, headers: basic(clientId, 'x')}],
      [401, {json, headers: basic('nobody', secret)}],
      [401, {json, headers: {authorization: `Bearer ${token}`}}],
      [404, {json, headers}, other.clientId],
      [404, {json, headers: basic(other.clientId, other.secret!)}],
      [404, {json, headers: basic(other.clientId, other.secret!)}, other.clientId],
      [404, {json: {access_token: 'x'}, headers}],
      [404, {json: {access_token: revoked}, headers}],
      [404, {json: {access_token: personal}, headers}],
      [404, {json, headers}, '%zz'],
      [422, {headers}],
      [422, {json: {access_token: ''}, headers}],
      [422, {json: {access_token: 5}, headers}],
      [400, {body: '{', headers}],
      [400, {json: [], headers}],
      [413, {body: 'x'.repeat(65_537), headers}],
    ]
    for (const [index, [status, request, id]] of table.entries()) {
      const answer = await check(request, id)
      expect(answer.status, `row ${index}: ${answer.text}`).toBe(status)
      expect(answer.data).toMatchObject({
        message: expect.any(String) as string,
        status: `${status}`,
      })
    }
    const missing = await check({json: {}, headers})
    expect(missing.data).toMatchObject({
      message: 'Validation Failed',
      errors: [{resource: 'OauthAccess', field: 'access_token', code: 'missing_field'}],
    })
  })

  test('is locked after too many wrong secrets', async () => {
    const {oauth, token, clientId, secret, basic, check} = start()
    const json = {access_token: token}
    for (let i = 0; i < 10; i++) {
      expect((await check({json, headers: basic(clientId, 'x')})).status).toBe(401)
    }
    const {status} = await check({json, headers: basic(clientId, secret)})
    expect(status).toBe(403)
    // The lock affects neither other apps nor the users of this one.
    const other = createApp(oauth.store, {name: 'Other'}, oauth.clock.now)
    const headers = basic(other.clientId, other.secret!)
    expect((await check({json: {}, headers}, other.clientId)).status).toBe(422)
    const authorization = `Bearer ${token}`
    expect((await oauth.send('GET', '/user', {headers: {authorization}})).status).toBe(200)
  })

  test('knows the tokens of the app of drv', async () => {
    const {oauth, user, basic, check} = start()
    const {BUILTIN_CLIENT_SECRET} = await import('#lib/api/wire.js')
    const clientId = BUILTIN_CLIENT_ID
    const token = mintToken(oauth.store, {user, clientId, scopes: []}, oauth.clock.now)
    const headers = basic(clientId, BUILTIN_CLIENT_SECRET)
    expect((await check({json: {access_token: token}, headers}, clientId)).status).toBe(200)
  })
})
