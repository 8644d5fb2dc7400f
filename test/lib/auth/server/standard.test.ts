import {createHash} from 'node:crypto'
import {expect, test} from 'vitest'
import type {Metadata} from '#lib/auth/server/discover.js'
import type {ExchangeRequest} from '#lib/auth/server/fetching.js'
import {createStandardServer} from '#lib/auth/server/standard.js'

const METADATA: Metadata = {
  issuer: 'https://sso.example.com',
  authorization_endpoint: 'https://sso.example.com/authorize?tenant=1',
  token_endpoint: 'https://token.example.net/token',
  device_authorization_endpoint: 'https://sso.example.com/device',
  revocation_endpoint: 'https://sso.example.com/revoke',
}
const TOKEN = {access_token: 'token', token_type: 'Bearer', expires_in: 3600, refresh_token: 'r'}

interface Reply {
  readonly status?: number
  readonly body: object
}

async function world(
  {metadata = METADATA, clientSecret}: {metadata?: Metadata; clientSecret?: string},
  ...replies: Reply[]
) {
  const asked: ExchangeRequest[] = []
  const server = await createStandardServer({
    metadata,
    clientId: 'app:1',
    clientSecret,
    now: () => 1000,
    async exchange(request) {
      asked.push(request)
      const {status = 200, body} = replies.shift()!
      return {status, contentType: 'application/json', body: JSON.stringify(body)}
    },
  })
  return {
    asked,
    server,
    form: (at: number) => Object.fromEntries(new URLSearchParams(asked[at]!.body)),
  }
}

const WEB = {scopes: ['drive', 'files:read'], state: 'state'}
const BACK = 'http://127.0.0.1:1234/callback'
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

test('the web flow sends a challenge, and proves it', async () => {
  const {server, asked, form} = await world({}, {body: TOKEN})
  const step = server.beginWeb(WEB, BACK)
  const {origin, pathname, searchParams} = new URL(step.address)
  expect(origin + pathname).toBe('https://sso.example.com/authorize')
  const sent = Object.fromEntries(searchParams)
  expect(sent).toEqual({
    tenant: '1',
    response_type: 'code',
    client_id: 'app:1',
    redirect_uri: BACK,
    scope: 'drive files:read',
    state: 'state',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
    code_challenge_method: 'S256',
    access_type: 'offline',
  })
  const grant = await step.redeem(new URLSearchParams({code: 'c', state: 'state'}))
  expect(grant).toEqual({
    token: 'token',
    scopes: undefined,
    expiresAt: 3_601_000,
    refreshToken: 'r',
  })
  expect(asked[0]).toMatchObject({url: METADATA.token_endpoint, method: 'POST'})
  const {code_verifier: verifier, ...rest} = form(0)
  expect(challengeOf(verifier!)).toBe(sent.code_challenge)
  expect(rest).toEqual({
    client_id: 'app:1',
    code: 'c',
    grant_type: 'authorization_code',
    redirect_uri: BACK,
  })
})

test('an account is suggested or selected, and consent is requested where a refresh token requires it', async () => {
  const metadata = {...METADATA, scopes_supported: ['openid', 'offline_access']}
  const {server} = await world({metadata})
  const {address} = server.beginWeb({...WEB, login: 'alice', selectAccount: true}, BACK)
  expect(Object.fromEntries(new URL(address).searchParams)).toMatchObject({
    scope: 'drive files:read offline_access',
    prompt: 'select_account consent',
    login_hint: 'alice',
  })
})

test.each([
  ['another state', {code: 'c', state: 'other'}, 'state_mismatch'],
  ['no state', {code: 'c'}, 'state_mismatch'],
  ['another issuer', {code: 'c', state: 'state', iss: 'https://evil.example'}, 'state_mismatch'],
  ['a refusal', {error: 'access_denied', state: 'state'}, 'access_denied'],
  ['no code', {state: 'state'}, 'no_code'],
])('a redirect with %s is not used', async (_, query, code) => {
  const {server, asked} = await world({})
  const step = server.beginWeb(WEB, BACK)
  await expect(
    step.redeem(new URLSearchParams(query as Record<string, string>)),
  ).rejects.toMatchObject({code})
  expect(asked).toEqual([])
})

test('a server that supports iss must send it', async () => {
  const metadata = {...METADATA, authorization_response_iss_parameter_supported: true}
  const {server} = await world({metadata}, {body: TOKEN})
  const step = server.beginWeb(WEB, BACK)
  const query = {code: 'c', state: 'state'}
  await expect(step.redeem(new URLSearchParams(query))).rejects.toMatchObject({
    code: 'state_mismatch',
  })
  await step.redeem(new URLSearchParams({...query, iss: METADATA.issuer}))
})

test('the device flow also proves a challenge, and accepts verification_url', async () => {
  const code = {
    device_code: 'd',
    user_code: 'AB-CD',
    verification_url: 'https://a.example/d',
    interval: 5,
  }
  const pending = {status: 428, body: {error: 'authorization_pending'}}
  const {server, form} = await world({}, {body: code}, pending, {body: TOKEN})
  expect(await server.beginDevice(['drive'])).toMatchObject({
    verificationUri: 'https://a.example/d',
  })
  expect(await server.pollDevice('d', 5)).toEqual({kind: 'pending'})
  expect(await server.pollDevice('d', 5)).toMatchObject({kind: 'authorized'})
  expect(form(0)).toMatchObject({client_id: 'app:1', scope: 'drive', code_challenge_method: 'S256'})
  expect(challengeOf(form(2).code_verifier!)).toBe(form(0).code_challenge)
})

test('a server without a device flow says what to do', async () => {
  const {server} = await world({metadata: {...METADATA, device_authorization_endpoint: undefined}})
  await expect(server.beginDevice(['drive'])).rejects.toRead()
})

test('a secret is sent in Basic authentication, encoded, or in the form, and never shown', async () => {
  const refused = {
    status: 401,
    body: {error: 'strange', error_description: 'Bad secret a:secret+1'},
  }
  const basic = await world({clientSecret: 'a:secret+1'}, refused)
  const failure = await basic.server.refresh('old').catch((error: unknown) => error as Error)
  expect((failure as Error).message).not.toContain('a:secret+1')
  const {authorization} = basic.asked[0]!.headers
  expect(Buffer.from(authorization!.slice(6), 'base64').toString()).toBe('app%3A1:a%3Asecret%2B1')
  expect(basic.form(0)).toEqual({grant_type: 'refresh_token', refresh_token: 'old'})
  const metadata = {...METADATA, token_endpoint_auth_methods_supported: ['client_secret_post']}
  const post = await world({metadata, clientSecret: 's'}, {body: TOKEN})
  await post.server.refresh('old')
  expect(post.form(0)).toMatchObject({client_id: 'app:1', client_secret: 's'})
})

test('tokens are revoked if there is an endpoint', async () => {
  const {server, form, asked} = await world({}, {body: {}}, {status: 503, body: {}})
  expect(await server.revoke('r', 'refresh_token')).toBe(true)
  expect(await server.revoke('t', 'access_token')).toBe(false)
  expect(form(0)).toMatchObject({token: 'r', token_type_hint: 'refresh_token'})
  expect(asked[0]!.url).toBe(METADATA.revocation_endpoint)
  const none = await world({metadata: {...METADATA, revocation_endpoint: undefined}})
  expect(await none.server.revoke('r', 'refresh_token')).toBe(false)
})
