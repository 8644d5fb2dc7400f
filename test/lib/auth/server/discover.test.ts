import {describe, expect, test} from 'vitest'
import {discoverByResource, discoverServer, secretMethod} from '#lib/auth/server/discover.js'
import type {ExchangeRequest} from '#lib/auth/server/fetching.js'

const ISSUER = 'https://sso.example.com/realms/main'
const OAUTH = 'https://sso.example.com/.well-known/oauth-authorization-server/realms/main'
const OPENID = `${ISSUER}/.well-known/openid-configuration`
const METADATA = {issuer: ISSUER, token_endpoint: 'https://token.example.net/token'}

interface Reply {
  readonly status?: number
  readonly body?: unknown
  readonly type?: string
  /** The target of the redirect. */
  readonly to?: string
}

/** Responses by URL; 404 for any other. */
function serve(replies: Readonly<Record<string, Reply | undefined>>) {
  const asked: string[] = []
  const exchange = async ({method, url}: ExchangeRequest) => {
    asked.push(`${method} ${url}`)
    const reply = replies[url]
    if (reply?.to !== undefined) {
      const redirect = {from: new URL(url), to: new URL(reply.to, url)}
      return {status: 302, body: '', redirect}
    }
    const {
      status = 200,
      body = '',
      type = 'application/json',
    } = reply ?? {
      status: 404,
      body: '<html>',
      type: 'text/html',
    }
    return {status, contentType: type, body: typeof body === 'string' ? body : JSON.stringify(body)}
  }
  return {asked, exchange}
}

test.each([OAUTH, OPENID])(
  'metadata at %s is found with one request to each URL',
  async address => {
    const {asked, exchange} = serve({[address]: {body: METADATA}})
    expect(await discoverServer(ISSUER, exchange)).toMatchObject(METADATA)
    expect(asked.sort()).toEqual([`GET ${OAUTH}`, `GET ${OPENID}`].sort())
  },
)

test.each<[string, Reply | undefined]>([
  ['nothing', undefined],
  ['a page', {body: '<html>Sign in</html>', type: 'text/html'}],
  ['text', {body: 'OK', type: 'text/plain'}],
  ['no entry', {status: 403, body: {message: 'Forbidden'}}],
  ['an object that is none of metadata', {body: {device_code: 'd'}}],
  ['a redirect to a page', {to: 'https://sso.example.com/login?next=/realms/main'}],
  ['a redirect to another host', {to: 'https://www.example.net/'}],
  ['a redirect to itself', {to: ''}],
])('a server with %s at both URLs is of the other kind', async (_, reply) => {
  const {exchange} = serve({[OAUTH]: reply, [OPENID]: reply})
  expect(await discoverServer(ISSUER, exchange)).toBeUndefined()
})

test('a trailing slash is ignored, in the request and in the metadata', async () => {
  for (const issuer of [ISSUER, `${ISSUER}/`]) {
    const {exchange} = serve({[OPENID]: {body: {...METADATA, issuer}}})
    expect(await discoverServer(ISSUER, exchange)).toMatchObject({issuer})
  }
  const {exchange} = serve({
    'https://docker.example/.well-known/openid-configuration': {
      body: {...METADATA, issuer: 'https://docker.example/'},
    },
  })
  expect(await discoverServer('https://docker.example', exchange)).toBeDefined()
})

test('metadata at one URL counts despite a redirect at the other', async () => {
  const {exchange} = serve({[OAUTH]: {to: '/login'}, [OPENID]: {body: METADATA}})
  expect(await discoverServer(ISSUER, exchange)).toMatchObject(METADATA)
})

test('valid metadata counts beside invalid metadata', async () => {
  const {exchange} = serve({[OAUTH]: {body: '[]'}, [OPENID]: {body: METADATA}})
  expect(await discoverServer(ISSUER, exchange)).toMatchObject(METADATA)
})

describe('invalid metadata is rejected, and never treated as missing', () => {
  test.each<[string, Reply | undefined]>([
    ['of another issuer', {body: {...METADATA, issuer: 'https://evil.example'}}],
    ['of an issuer below', {body: {...METADATA, issuer: `${ISSUER}/other`}}],
    ['of an issuer that is no text', {body: {...METADATA, issuer: 5}}],
    ['without an address for tokens', {body: {issuer: ISSUER}}],
    ['with an address that is no text', {body: {...METADATA, token_endpoint: {}}}],
    ['with http elsewhere', {body: {...METADATA, token_endpoint: 'http://a.example/t'}}],
    ['with a script', {body: {...METADATA, authorization_endpoint: 'javascript:alert(1)'}}],
    ['with a user name', {body: {...METADATA, revocation_endpoint: 'https://a:b@a.example/r'}}],
    ['that is a list', {body: [METADATA]}],
    ['that breaks off', {body: '{"issuer": "https://sso'}],
    [
      'that is at another host',
      {to: 'https://id.example.com/realms/main/.well-known/openid-configuration'},
    ],
    [
      'that is below another path',
      {to: 'https://sso.example.com/auth/.well-known/openid-configuration'},
    ],
  ])('%s', async (_, reply) => {
    const {exchange} = serve({[OPENID]: reply})
    const faulty = {name: 'SetupError', kind: 'configuration'}
    await expect(discoverServer(ISSUER, exchange)).rejects.toMatchObject(faulty)
    await expect(discoverServer(ISSUER, exchange)).rejects.toRead()
  })

  test.each([500, 503, 429])('a busy server (%i) can be retried', async status => {
    const {exchange} = serve({[OPENID]: {status}})
    await expect(discoverServer(ISSUER, exchange)).rejects.toMatchObject({status})
  })
})

test('http is only for this machine', async () => {
  const issuer = 'http://127.0.0.1:8080'
  const metadata = {issuer, token_endpoint: `${issuer}/token`}
  const {exchange} = serve({[`${issuer}/.well-known/openid-configuration`]: {body: metadata}})
  expect(await discoverServer(issuer, exchange)).toMatchObject(metadata)
})

describe('a file service', () => {
  const FILES = 'https://files.example.com'
  const RESOURCE = `${FILES}/.well-known/oauth-protected-resource`
  const named = (more: object) => ({
    [RESOURCE]: {body: {resource: FILES, authorization_servers: [ISSUER], ...more}},
    [OPENID]: {body: METADATA},
  })

  test('names its issuer, and the supported scopes', async () => {
    const {exchange} = serve(named({scopes_supported: ['files', 5, 'two words']}))
    expect(await discoverByResource(FILES, exchange)).toMatchObject({
      metadata: METADATA,
      scopes: ['files'],
    })
  })

  test('that redirects unknown URLs to a page names none', async () => {
    const {exchange} = serve({[RESOURCE]: {to: '/login'}})
    expect(await discoverByResource(FILES, exchange)).toBeUndefined()
  })

  test('may name none', async () => {
    const {asked, exchange} = serve({})
    expect(await discoverByResource(FILES, exchange)).toBeUndefined()
    expect(asked).toEqual([`GET ${RESOURCE}`])
    const empty = serve(named({authorization_servers: []}))
    expect(await discoverByResource(FILES, empty.exchange)).toBeUndefined()
  })

  test.each([
    ['that is another', {resource: 'https://other.example'}],
    ['that names an issuer in the open', {authorization_servers: ['http://sso.example']}],
    ['that names one without metadata', {authorization_servers: ['https://none.example']}],
  ])('%s is refused', async (_, more) => {
    const {exchange} = serve(named(more))
    const faulty = {name: 'SetupError', kind: 'configuration'}
    await expect(discoverByResource(FILES, exchange)).rejects.toMatchObject(faulty)
    await expect(discoverByResource(FILES, exchange)).rejects.toRead()
  })

  test('that has moved is refused', async () => {
    const to = 'https://www.example.com/.well-known/oauth-protected-resource'
    const {exchange} = serve({[RESOURCE]: {to}})
    await expect(discoverByResource(FILES, exchange)).rejects.toRead()
  })
})

test.each([
  [undefined, 'basic'],
  [['client_secret_post', 'client_secret_basic'], 'basic'],
  [['client_secret_post'], 'post'],
  [['none'], 'post'],
])('the secret is sent as the server requires: %j', (methods, expected) => {
  expect(secretMethod({token_endpoint_auth_methods_supported: methods})).toBe(expected)
})
