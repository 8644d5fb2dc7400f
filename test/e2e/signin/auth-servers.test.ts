import {createHash} from 'node:crypto'
import {setTimeout} from 'node:timers/promises'
import {describe, expect, test} from 'vitest'
import {scopes} from '#lib/api/description/scopes.js'
import {DEVICE_GRANT} from '#lib/api/wire.js'
import type {ForeignServer} from '../../support/auth-servers/foreign.js'
import {startGithubApp} from '../../support/auth-servers/github-app.js'
import {type Habit, startHostile} from '../../support/auth-servers/hostile.js'
import {startOidc} from '../../support/auth-servers/oidc.js'
import {startPublicService} from '../../support/auth-servers/public-service.js'
import {serve} from '../../support/serve.js'

/** The authorization servers of the tests work as specified, tested without drv. */

type Fields = Record<string, string>

const VERIFIER = 'v'.repeat(43)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

async function post(url: string, form: Fields, basic?: string) {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers: {accept: 'application/json', ...(basic && {authorization: `Basic ${btoa(basic)}`})},
  })
  const text = await response.text()
  const data = (text.startsWith('{') ? JSON.parse(text) : {}) as Fields
  return {status: response.status, data}
}

const metadataOf = async (address: string) =>
  (await (await fetch(address)).json()) as Record<string, string>

const about = async (server: ForeignServer, token?: string) => {
  const headers = {authorization: `Bearer ${token}`}
  return (await fetch(`${server.baseUrl}/drive/v2/about`, {headers})).status
}

/** The query of the redirect at the end of the web flow. */
async function web(server: ForeignServer, endpoint: string, more: Fields = {}) {
  let back: URLSearchParams | undefined
  const {url} = await serve((message, reply) => {
    back ??= new URL(message.url!, 'http://x').searchParams
    reply.end('back')
  })
  const query = new URLSearchParams({
    client_id: server.clientId,
    redirect_uri: `${url}/callback`,
    response_type: 'code',
    scope: scopes('drive').join(' '),
    state: 'xyz',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...more,
  })
  await server.authorizeWeb(`${endpoint}?${query}`)
  return {code: back?.get('code') ?? '', redirect_uri: `${url}/callback`, back: back!}
}

describe('the OpenID provider', () => {
  test.each(['openid', 'oauth'] as const)('has its metadata at the URL of %s', async kind => {
    const server = await startOidc({path: '/realms/main', metadata: kind})
    const origin = new URL(server.issuer).origin
    const addresses = {
      openid: `${server.issuer}/.well-known/openid-configuration`,
      oauth: `${origin}/.well-known/oauth-authorization-server/realms/main`,
    }
    expect(await metadataOf(addresses[kind])).toMatchObject({
      issuer: server.issuer,
      token_endpoint: expect.stringContaining(`${server.issuer}/`) as string,
    })
    const other = await fetch(addresses[kind === 'oauth' ? 'openid' : 'oauth'])
    expect(other.status).toBe(404)
  })

  test('supports the web flow, rotates refresh tokens, and revokes the grant of a reused one', async () => {
    const server = await startOidc({isNamed: true})
    const resource = await metadataOf(`${server.baseUrl}/.well-known/oauth-protected-resource`)
    expect(resource).toEqual({resource: server.baseUrl, authorization_servers: [server.issuer]})
    const metadata = await metadataOf(`${server.issuer}/.well-known/openid-configuration`)
    const {code, redirect_uri, back} = await web(server, metadata.authorization_endpoint!, {
      scope: [...scopes('drive'), 'offline_access'].join(' '),
      prompt: 'consent',
    })
    expect(back.get('iss')).toBe(server.issuer)
    const client = {client_id: server.clientId}
    const form = {...client, grant_type: 'authorization_code', code, redirect_uri}
    const first = await post(metadata.token_endpoint!, {...form, code_verifier: VERIFIER})
    expect(first.data).toMatchObject({token_type: 'Bearer', expires_in: 3600})
    expect(await about(server, first.data.access_token)).toBe(200)
    expect(await about(server, 'other')).toBe(401)

    const refresh = (refresh_token = '') =>
      post(metadata.token_endpoint!, {...client, grant_type: 'refresh_token', refresh_token})
    server.control.expire()
    expect(await about(server, first.data.access_token)).toBe(401)
    server.control.lifetime = 30
    const second = await refresh(first.data.refresh_token)
    expect(second.data).toMatchObject({expires_in: 30})
    expect(await about(server, second.data.access_token)).toBe(200)
    expect(await refresh(first.data.refresh_token)).toMatchObject({
      status: 400,
      data: {error: 'invalid_grant'},
    })
    expect(await about(server, second.data.access_token)).toBe(401)
    expect(await refresh(second.data.refresh_token)).toHaveProperty('data.error', 'invalid_grant')
    expect(server.refreshes()).toBe(1)
    expect(server.asked.map(({grant}) => grant)).toEqual([
      'authorization_code',
      ...Array.from({length: 3}, () => 'refresh_token'),
    ])
  })

  test('supports the device flow, loses a response, revokes, and is unavailable', async () => {
    const server = await startOidc({secret: 'client_secret_basic'})
    const metadata = await metadataOf(`${server.issuer}/.well-known/openid-configuration`)
    const basic = [server.clientId, server.clientSecret!].map(encodeURIComponent).join(':')
    const scope = [...scopes('drive'), 'offline_access'].join(' ')
    const ask = (endpoint: string, form: Fields) => post(metadata[endpoint]!, form, basic)
    const begun = await ask('device_authorization_endpoint', {
      scope,
      client_id: server.clientId,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    })
    expect(begun).toMatchObject({status: 200})
    await server.authorizeDevice(begun.data.verification_uri!, begun.data.user_code!)
    const code = {grant_type: DEVICE_GRANT, device_code: begun.data.device_code!}
    const {data} = await ask('token_endpoint', {...code, code_verifier: VERIFIER})
    expect(data).toHaveProperty('refresh_token')
    expect(await about(server, data.access_token)).toBe(200)

    server.control.lostRefreshes = 1
    const again = {grant_type: 'refresh_token', refresh_token: data.refresh_token!}
    await expect(ask('token_endpoint', again)).rejects.toThrow('fetch failed')
    expect(server.refreshes()).toBe(1)

    const revoked = await ask('revocation_endpoint', {token: data.access_token!})
    expect(revoked.status).toBe(200)
    expect(await server.accepts(data.access_token!)).toBe(false)
    server.control.trouble = '503'
    expect((await ask('token_endpoint', again)).status).toBe(503)
    server.control.trouble = 'reset'
    await expect(ask('token_endpoint', again)).rejects.toThrow('fetch failed')
  })

  test('lets a user deny access', async () => {
    const server = await startOidc()
    const metadata = await metadataOf(`${server.issuer}/.well-known/openid-configuration`)
    const begun = await post(metadata.device_authorization_endpoint!, {
      client_id: server.clientId,
      scope: scopes('drive').join(' '),
    })
    await server.authorizeDevice(begun.data.verification_uri!, begun.data.user_code!, false)
    const code = {grant_type: DEVICE_GRANT, device_code: begun.data.device_code!}
    const refused = await post(metadata.token_endpoint!, {client_id: server.clientId, ...code})
    expect(refused).toMatchObject({status: 400, data: {error: 'access_denied'}})
  })
})

describe('the public service', () => {
  const open = async () => {
    const server = await startPublicService()
    const metadata = await metadataOf(`${server.issuer}/.well-known/openid-configuration`)
    const client = {client_id: server.clientId, client_secret: server.clientSecret!}
    return {server, metadata, client, token: metadata.token_endpoint!}
  }

  test('grants only drive.file in the device flow, with its own statuses', async () => {
    const {server, metadata, client, token} = await open()
    const begin = (scope: string) =>
      post(metadata.device_authorization_endpoint!, {client_id: server.clientId, scope})
    expect(await begin(scopes('drive').join(' '))).toMatchObject({
      status: 400,
      data: {error: 'invalid_scope'},
    })
    const {data} = await begin(scopes('drive.file').join(' '))
    expect(data).not.toHaveProperty('verification_uri')
    const poll = {...client, grant_type: DEVICE_GRANT, device_code: data.device_code!}
    expect(await post(token, poll)).toMatchObject({
      status: 428,
      data: {error: 'authorization_pending'},
    })
    await server.authorizeDevice(data.verification_url!, data.user_code!)
    const granted = await post(token, poll)
    expect(granted.data).toHaveProperty('refresh_token')
    expect(await about(server, granted.data.access_token)).toBe(200)
    const user = await fetch(`${server.baseUrl}/user`)
    expect(user.status).toBe(404)
  })

  test('returns a refresh token in the web flow on request, and does not rotate it', async () => {
    const {server, metadata, client, token} = await open()
    const signIn = async (more: Fields = {}) => {
      const {code, redirect_uri} = await web(server, metadata.authorization_endpoint!, more)
      const form = {...client, grant_type: 'authorization_code', code, redirect_uri}
      return (await post(token, {...form, code_verifier: VERIFIER})).data
    }
    expect(await signIn()).not.toHaveProperty('refresh_token')
    expect(await signIn({access_type: 'offline'})).not.toHaveProperty('refresh_token')
    const granted = await signIn({access_type: 'offline', prompt: 'consent'})
    const form = {...client, grant_type: 'refresh_token', refresh_token: granted.refresh_token!}
    for (const _ of [1, 2]) {
      const {data} = await post(token, form)
      expect(data).not.toHaveProperty('refresh_token')
      expect(await about(server, data.access_token)).toBe(200)
    }
    expect((await post(token, {...form, access_type: 'offline'})).status).toBe(400)
    expect((await post(token, {...form, client_secret: 'x'})).status).toBe(401)
    await post(metadata.revocation_endpoint!, {token: granted.refresh_token!})
    expect(await post(token, form)).toHaveProperty('data.error', 'invalid_grant')
  })
})

test('the GitHub-like service revokes both tokens at a refresh, and refuses with 200', async () => {
  const server = await startGithubApp()
  const client = {client_id: server.clientId}
  const token = `${server.issuer}/login/oauth/access_token`
  const {data} = await post(`${server.issuer}/login/device/code`, client)
  const poll = {...client, grant_type: DEVICE_GRANT, device_code: data.device_code!}
  expect(await post(token, poll)).toEqual({status: 200, data: {error: 'authorization_pending'}})
  await server.authorizeDevice(data.verification_uri!, data.user_code!)
  const first = await post(token, poll)
  const refresh = (refresh_token = '') =>
    post(token, {...client, grant_type: 'refresh_token', refresh_token})
  const second = await refresh(first.data.refresh_token)
  expect(await about(server, first.data.access_token)).toBe(401)
  expect(await about(server, second.data.access_token)).toBe(200)
  expect(await refresh(first.data.refresh_token)).toMatchObject({
    status: 200,
    data: {error: 'bad_refresh_token'},
  })
  expect(await refresh(second.data.refresh_token)).toHaveProperty('data.access_token')
  const plain = await fetch(token, {method: 'POST', body: new URLSearchParams(poll)})
  expect(await plain.text()).toBe('error=incorrect_device_code')
})

describe('a hostile server', () => {
  const metadata = (issuer: string) => `${issuer}/.well-known/openid-configuration`

  test.each<[Habit, (body: Record<string, unknown>) => unknown]>([
    ['wrong-types', body => typeof body.token_endpoint === 'object'],
    ['list', body => Array.isArray(body)],
    ['no-token-endpoint', body => !('token_endpoint' in body)],
    ['script-scheme', body => String(body.authorization_endpoint).startsWith('javascript:')],
    ['file-scheme', body => String(body.token_endpoint).startsWith('file:')],
    ['plain-http', body => String(body.token_endpoint).startsWith('http://files')],
    ['credentials', body => String(body.token_endpoint).includes('user:password@')],
    ['other-issuer', body => body.issuer === 'https://other.example'],
  ])('of the kind %s sends untrustworthy metadata', async (habit, isSo) => {
    const {issuer} = await startHostile(habit)
    const body = (await (await fetch(metadata(issuer))).json()) as Record<string, unknown>
    expect(isSo(body)).toBe(true)
  })

  test('sends 100 MB', async () => {
    const {issuer, state} = await startHostile('huge')
    const text = await (await fetch(metadata(issuer))).text()
    expect(text.length).toBeGreaterThan(100_000_000)
    expect(state.sent).toBe(1600 * 65_536)
  })

  test.each<Habit>(['endless', 'silent'])('of the kind %s never ends', async habit => {
    const {issuer} = await startHostile(habit)
    const leave = new AbortController()
    const end = fetch(metadata(issuer), {signal: leave.signal}).then(answer => answer.text())
    const first = await Promise.race([end, setTimeout(200, 'still waiting')])
    expect(first).toBe('still waiting')
    leave.abort()
    await expect(end).rejects.toThrow('aborted')
  })

  test('redirects, and records clients that follow', async () => {
    const {issuer, state} = await startHostile('redirect')
    expect((await fetch(metadata(issuer))).status).toBe(404)
    expect(state.strangers).toEqual(['/elsewhere/.well-known/openid-configuration'])
    const other = await startHostile('redirect-to-itself')
    await expect(fetch(metadata(other.issuer))).rejects.toThrow('fetch failed')
    const cut = await startHostile('cut')
    await expect((await fetch(metadata(cut.issuer))).json()).rejects.toThrow('JSON')
  })
})
