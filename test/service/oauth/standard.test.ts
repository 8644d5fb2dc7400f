import {createHash} from 'node:crypto'
import {describe, expect, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {DEVICE_GRANT} from '#lib/api/wire.js'
import {STANDARD_PATHS as PATHS} from '#lib/service/oauth/endpoints/metadata.js'
import {createApp, suspendApp} from '#lib/service/oauth/store/apps.js'
import {findToken} from '#lib/service/oauth/store/tokens.js'
import {decide, notesOf, type Oauth, ORIGIN, startBrowser, startOauth} from './calls.js'

/** The service as a standard authorization server. */

const ISSUER = `${ORIGIN}/login/oauth`
const CALLBACK = 'http://127.0.0.1/back'
const SCOPE = scopes('drive').join(' ')

const VERIFIER = 'v'.repeat(43)
const PKCE = {
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
}

type Fields = Record<string, string>

function startApp(isPublic = true) {
  const oauth = startOauth()
  const wish = {name: 'Sync', clientId: 'sync-app', deviceFlow: true, callbackUrl: CALLBACK}
  const {clientId, secret} = createApp(
    oauth.store,
    {...wish, isPublic, tokenLifetime: 3_600_000},
    oauth.clock.now,
  )
  return {oauth, clientId, secret: secret!}
}

const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

const post = (oauth: Oauth, path: string, form: Fields, headers: Fields = {}) =>
  oauth.send('POST', path, {form, headers})

/** Opens the page of the web flow, authorizes the request, and returns the parameters sent to the app. */
async function consent(oauth: Oauth, parameters: Fields, decision = 'authorize'): Promise<Fields> {
  const browser = startBrowser(oauth)
  const page = await browser.open(`${PATHS.authorize}?${new URLSearchParams(parameters)}`)
  const {headers} = page.status === 200 ? await browser.submit(PATHS.authorize, {decision}) : page
  const url = new URL(headers.location!)
  expect(`${url.origin}${url.pathname}`).toBe(CALLBACK)
  return Object.fromEntries(url.searchParams)
}

const wish = (clientId: string, more: Fields = {}): Fields => ({
  client_id: clientId,
  redirect_uri: CALLBACK,
  response_type: 'code',
  scope: SCOPE,
  state: 'xyz',
  ...PKCE,
  ...more,
})

const exchange = (clientId: string, code: string | undefined, more: Fields = {}): Fields => ({
  client_id: clientId,
  grant_type: 'authorization_code',
  code: code ?? '',
  redirect_uri: CALLBACK,
  code_verifier: VERIFIER,
  ...more,
})

const isLive = ({store, clock}: Oauth, token: unknown) =>
  findToken(store, String(token), clock.now)?.live

describe('the metadata', () => {
  test.each([
    '/.well-known/oauth-authorization-server/login/oauth',
    '/login/oauth/.well-known/openid-configuration',
  ])('of the issuer is at %s', async path => {
    const {status, headers, data} = await startOauth().send('GET', path)
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(data).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: ORIGIN + PATHS.authorize,
      token_endpoint: ORIGIN + PATHS.token,
      device_authorization_endpoint: ORIGIN + PATHS.device,
      revocation_endpoint: ORIGIN + PATHS.revoke,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      authorization_response_iss_parameter_supported: true,
    })
  })

  test.each(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])(
    'is not at %s, where the service follows the specification',
    async path => {
      await expect(startOauth().send('GET', path)).rejects.toThrow('none of the')
    },
  )

  test('of the file service exists only with --name-issuer', async () => {
    const path = '/.well-known/oauth-protected-resource'
    expect((await startOauth().send('GET', path)).status).toBe(404)
    const {status, data} = await startOauth(undefined, {namesIssuer: true}).send('GET', path)
    expect(status).toBe(200)
    expect(data).toMatchObject({resource: ORIGIN, authorization_servers: [ISSUER]})
  })
})

describe('the web flow', () => {
  test('uses PKCE for an app without a secret', async () => {
    const {oauth, clientId} = startApp()
    const answer = await consent(oauth, wish(clientId))
    expect(answer).toEqual({code: expect.any(String) as string, state: 'xyz', iss: ISSUER})
    const {status, headers, data} = await post(oauth, PATHS.token, exchange(clientId, answer.code))
    expect(status).toBe(200)
    expect(headers).toMatchObject({'cache-control': 'no-store'})
    expect(data).toEqual({
      access_token: expect.any(String) as string,
      token_type: 'Bearer',
      scope: SCOPE,
      expires_in: 3600,
      refresh_token: expect.any(String) as string,
      refresh_token_expires_in: 15_897_600,
    })
    const again = await post(oauth, PATHS.token, exchange(clientId, answer.code))
    expect(again).toMatchObject({status: 400, data: {error: 'invalid_grant'}})
  })

  test.each<[string, Fields, string]>([
    ['another verifier', {code_verifier: 'w'.repeat(43)}, 'invalid_grant'],
    ['no verifier', {code_verifier: ''}, 'invalid_grant'],
    ['another address', {redirect_uri: 'http://127.0.0.1/other'}, 'invalid_grant'],
    ['another code', {code: 'x'}, 'invalid_grant'],
    ['no grant type', {grant_type: ''}, 'unsupported_grant_type'],
    ['another grant type', {grant_type: 'password'}, 'unsupported_grant_type'],
  ])('rejects %s with 400', async (_, more, error) => {
    const {oauth, clientId} = startApp()
    const {code} = await consent(oauth, wish(clientId))
    const refused = await post(oauth, PATHS.token, exchange(clientId, code, more))
    expect(refused).toMatchObject({status: 400, data: {error}})
    // Only the owner of a code can use it up.
    const right = await post(oauth, PATHS.token, exchange(clientId, code))
    expect(right.status).toBe(200)
  })

  test('keeps the challenge of a code tried at the other endpoint', async () => {
    const {oauth, clientId, secret} = startApp(false)
    const {code} = await consent(oauth, wish(clientId))
    const {data} = await oauth.post('/login/oauth/access_token', {
      client_id: clientId,
      client_secret: secret,
      code: code!,
    })
    expect(data).toMatchObject({error: 'bad_verification_code'})
  })

  test.each<[string, Fields, string]>([
    ['no response_type', {response_type: ''}, 'unsupported_response_type'],
    ['an implicit grant', {response_type: 'token'}, 'unsupported_response_type'],
    ['a challenge in the open', {code_challenge_method: 'plain'}, 'invalid_request'],
    ['a challenge that is none', {code_challenge: 'short'}, 'invalid_request'],
    ['a scope that there is not', {scope: 'openid'}, 'invalid_scope'],
  ])('redirects to the app for %s', async (_, more, error) => {
    const {oauth, clientId} = startApp()
    const answer = await consent(oauth, wish(clientId, more))
    expect(answer).toMatchObject({error, state: 'xyz', iss: ISSUER})
  })

  test('redirects to the app if an app without a secret has no challenge', async () => {
    const {oauth, clientId} = startApp()
    const {code_challenge, code_challenge_method, ...rest} = wish(clientId)
    expect(await consent(oauth, rest)).toMatchObject({error: 'invalid_request'})
  })

  test('redirects to the app if the user denies access', async () => {
    const {oauth, clientId} = startApp()
    const answer = await consent(oauth, wish(clientId), 'cancel')
    expect(answer).toMatchObject({error: 'access_denied', state: 'xyz', iss: ISSUER})
  })

  test('redirects only to URLs of the app', async () => {
    const {oauth, clientId} = startApp()
    const elsewhere = wish(clientId, {redirect_uri: 'https://evil.example/back'})
    const path = `${PATHS.authorize}?${new URLSearchParams(elsewhere)}`
    const page = await startBrowser(oauth).open(path)
    expect(page.status).toBe(400)
    expect(page.headers).not.toHaveProperty('location')
  })

  test('asks for consent again only on request, and supports login_hint', async () => {
    const {oauth, clientId} = startApp()
    const first = await consent(oauth, wish(clientId))
    await post(oauth, PATHS.token, exchange(clientId, first.code))
    const open = (more: Fields) =>
      startBrowser(oauth).open(`${PATHS.authorize}?${new URLSearchParams(wish(clientId, more))}`)
    expect((await open({})).status).toBe(302)
    expect((await open({prompt: 'consent'})).status).toBe(200)
    expect(notesOf((await open({prompt: 'select_account consent'})).text)).toRead()
  })
})

describe('an app with a secret', () => {
  test.each<[string, (id: string, secret: string) => {form: Fields; headers?: Fields}]>([
    ['in the form', (_, secret) => ({form: {client_secret: secret}})],
    [
      'by Basic authentication, encoded as in a form',
      (id, secret) => ({form: {}, headers: basic(id.replace('-', '%2D'), secret)}),
    ],
  ])('sends it %s', async (_, show) => {
    const {oauth, clientId, secret} = startApp(false)
    const {code} = await consent(oauth, wish(clientId))
    const {form, headers} = show(clientId, secret)
    const {status, data} = await post(oauth, PATHS.token, exchange(clientId, code, form), headers)
    expect(status).toBe(200)
    const more = {grant_type: 'refresh_token', refresh_token: String(data.refresh_token)}
    const next = await post(oauth, PATHS.token, {client_id: clientId, ...more, ...form}, headers)
    expect(next.status).toBe(200)
  })

  test.each([PATHS.token, PATHS.device, PATHS.revoke])(
    'must send it at %s: 401, and the scheme if one was tried',
    async path => {
      const {oauth, clientId} = startApp(false)
      const none = await post(oauth, path, {client_id: clientId, grant_type: DEVICE_GRANT})
      expect(none).toMatchObject({status: 401, data: {error: 'invalid_client'}})
      expect(none.headers).not.toHaveProperty('www-authenticate')
      const wrong = await post(oauth, path, {}, basic(clientId, 'wrong'))
      expect(wrong).toMatchObject({
        status: 401,
        data: {error: 'invalid_client'},
        headers: {'www-authenticate': 'Basic realm="drv"'},
      })
      const unknown = await post(oauth, path, {client_id: 'nobody'})
      expect(unknown).toMatchObject({status: 401, data: {error: 'invalid_client'}})
    },
  )

  test('sends it in one way only', async () => {
    const {oauth, clientId, secret} = startApp(false)
    const form = {client_id: clientId, client_secret: secret, scope: 'drive'}
    const refused = await post(oauth, PATHS.device, form, basic(clientId, secret))
    expect(refused).toMatchObject({status: 400, data: {error: 'invalid_request'}})
  })
})

describe('the device flow', () => {
  const begin = (oauth: Oauth, clientId: string, more: Fields = {}) =>
    post(oauth, PATHS.device, {client_id: clientId, scope: SCOPE, ...more})
  const poll = (oauth: Oauth, clientId: string, code: unknown, more: Fields = {}) =>
    post(oauth, PATHS.token, {
      client_id: clientId,
      grant_type: DEVICE_GRANT,
      device_code: String(code),
      ...more,
    })

  test('returns 400 until the user has decided', async () => {
    const {oauth, clientId} = startApp()
    const {status, data} = await begin(oauth, clientId)
    expect(status).toBe(200)
    expect(data).toMatchObject({
      verification_uri: `${ORIGIN}/login/device`,
      verification_uri_complete: `${ORIGIN}/login/device?user_code=${data.user_code}`,
      interval: 5,
    })
    const code = data.device_code
    expect(await poll(oauth, clientId, code)).toMatchObject({
      status: 400,
      data: {error: 'authorization_pending'},
    })
    expect(await poll(oauth, clientId, code)).toMatchObject({
      status: 400,
      data: {error: 'slow_down', interval: 10},
    })
    await decide(oauth, String(data.user_code))
    oauth.clock.now += 10_000
    expect(await poll(oauth, clientId, code)).toMatchObject({
      status: 200,
      data: {token_type: 'Bearer', expires_in: 3600},
    })
    expect(await poll(oauth, clientId, code)).toMatchObject({
      status: 400,
      data: {error: 'invalid_grant'},
    })
  })

  test('checks the challenge of its request at the poll', async () => {
    const {oauth, clientId} = startApp()
    const {data} = await begin(oauth, clientId, PKCE)
    await decide(oauth, String(data.user_code))
    expect(await poll(oauth, clientId, data.device_code)).toMatchObject({
      status: 400,
      data: {error: 'invalid_grant'},
    })
    const right = await poll(oauth, clientId, data.device_code, {code_verifier: VERIFIER})
    expect(right.status).toBe(200)
  })

  test.each<[string, Fields, string]>([
    ['a scope that there is not', {scope: 'drive openid'}, 'invalid_scope'],
    ['a challenge in the open', {code_challenge: 'x'}, 'invalid_request'],
  ])('is refused %s', async (_, more, error) => {
    const {oauth, clientId} = startApp()
    expect(await begin(oauth, clientId, more)).toMatchObject({status: 400, data: {error}})
  })

  test('is refused to an app that does not have it, or that is suspended', async () => {
    const {oauth, clientId} = startApp()
    const plain = createApp(oauth.store, {name: 'Plain', isPublic: true}, 0)
    suspendApp(oauth.store, clientId)
    for (const id of [plain.clientId, clientId]) {
      const refused = await begin(oauth, id)
      expect(refused).toMatchObject({status: 400, data: {error: 'unauthorized_client'}})
    }
  })
})

describe('refresh and revocation', () => {
  async function signIn() {
    const {oauth, clientId} = startApp()
    const {code} = await consent(oauth, wish(clientId))
    const {data} = await post(oauth, PATHS.token, exchange(clientId, code))
    const refresh = (token: unknown) =>
      post(oauth, PATHS.token, {
        client_id: clientId,
        grant_type: 'refresh_token',
        refresh_token: String(token),
      })
    const revoke = (token: unknown) =>
      post(oauth, PATHS.revoke, {client_id: clientId, token: String(token)})
    return {oauth, clientId, data, refresh, revoke}
  }

  test('reuse of a refresh token is invalid_grant with 400', async () => {
    const {oauth, data, refresh} = await signIn()
    const next = await refresh(data.refresh_token)
    expect(next).toMatchObject({status: 200, data: {token_type: 'Bearer', scope: SCOPE}})
    expect(await refresh(data.refresh_token)).toMatchObject({
      status: 400,
      data: {error: 'invalid_grant'},
    })
    expect(isLive(oauth, next.data.access_token)).toBe(false)
  })

  test('revoking a refresh token also revokes its access tokens', async () => {
    const {oauth, data, refresh, revoke} = await signIn()
    expect(await revoke(data.refresh_token)).toMatchObject({status: 200, text: '{}'})
    expect(isLive(oauth, data.access_token)).toBe(false)
    expect((await refresh(data.refresh_token)).status).toBe(400)
    expect((await revoke(data.refresh_token)).status).toBe(200)
  })

  test('revoking an access token revokes only that one', async () => {
    const {oauth, data, refresh, revoke} = await signIn()
    expect((await revoke(data.access_token)).status).toBe(200)
    expect(isLive(oauth, data.access_token)).toBe(false)
    expect((await refresh(data.refresh_token)).status).toBe(200)
  })

  test('an app cannot revoke the tokens of another', async () => {
    const {oauth, data, refresh} = await signIn()
    const other = createApp(oauth.store, {name: 'Other', isPublic: true}, 0)
    for (const token of [data.access_token, data.refresh_token]) {
      const form = {client_id: other.clientId, token: String(token)}
      expect((await post(oauth, PATHS.revoke, form)).status).toBe(200)
    }
    expect(isLive(oauth, data.access_token)).toBe(true)
    expect((await refresh(data.refresh_token)).status).toBe(200)
  })

  test('a revocation without a token is an invalid_request', async () => {
    const {oauth, clientId} = startApp()
    const refused = await post(oauth, PATHS.revoke, {client_id: clientId})
    expect(refused).toMatchObject({status: 400, data: {error: 'invalid_request'}})
  })
})
