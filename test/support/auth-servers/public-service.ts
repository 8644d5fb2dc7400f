import {createHash, randomUUID} from 'node:crypto'
import {scopes} from '#lib/api/description/scopes.js'
import {startFiles} from './files.js'
import {
  type Answer,
  type Asked,
  type Call,
  clickThrough,
  consentPage,
  Control,
  type ForeignServer,
  listen,
  stub,
} from './foreign.js'

const CLIENT_ID = '1234-abc.apps.example'
const SECRET = 'GOCSPX-secret'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** The only scope of its device flow. */
const DEVICE_SCOPES = ['openid', 'email', 'profile', ...scopes('drive.file')]

interface Grant {
  readonly scope: string
  readonly isOffline: boolean
  readonly challenge?: string
  readonly redirectUri?: string
}

/**
 * A stub of the public file service: metadata only at the OpenID URL, endpoints on another origin, a device flow
 * for `drive.file` only, which sends `verification_url` and returns 428 and 403 while it waits; refresh tokens
 * only for `access_type=offline`, after the first time only with `prompt=consent`, without rotation; a required
 * client secret; `about.get` but no `/user`.
 */
export async function startPublicService(): Promise<ForeignServer> {
  const control = new Control()
  const asked: Asked[] = []
  const devices = new Map<string, {userCode: string; scope: string; state: string}>()
  const codes = new Map<string, Grant>()
  const refreshTokens = new Map<string, string>()
  const accessTokens = new Map<string, {end: number; refresh?: string}>()
  let hasConsented = false
  let issuer = ''

  const endpoints = await listen(url => stub(control, call => endpoint(url, call)))
  issuer = await listen(() => stub(control, page))

  function page({method, path, query, form}: Call): Answer {
    if (path === '/.well-known/openid-configuration') {
      return {
        body: {
          issuer,
          authorization_endpoint: `${issuer}/o/oauth2/v2/auth`,
          device_authorization_endpoint: `${endpoints}/device/code`,
          token_endpoint: `${endpoints}/token`,
          userinfo_endpoint: `${endpoints}/v1/userinfo`,
          revocation_endpoint: `${endpoints}/revoke`,
          jwks_uri: `${endpoints}/oauth2/v3/certs`,
          response_types_supported: ['code', 'token'],
          scopes_supported: ['openid', 'email', 'profile'],
          token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
          code_challenge_methods_supported: ['plain', 'S256'],
          grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_GRANT],
        },
      }
    }
    if (path === '/device') {
      const userCode = form.get('user_code')
      if (method === 'GET') return {body: consentPage({user_code: ''})}
      const device = [...devices.values()].find(one => one.userCode === userCode)
      if (device) device.state = form.has('no') ? 'denied' : 'approved'
      return {body: device ? 'Success' : 'Unknown code'}
    }
    if (path !== '/o/oauth2/v2/auth') return {status: 404, body: '<h1>404</h1>'}
    if (query.get('client_id') !== CLIENT_ID) return {status: 401, body: 'Error: invalid_client'}
    if (query.get('response_type') !== 'code') return {status: 400, body: 'Error: invalid_request'}
    if (method === 'GET') return {body: consentPage({})}
    const back = new URL(query.get('redirect_uri')!)
    back.searchParams.set('state', query.get('state') ?? '')
    if (form.has('no')) {
      back.searchParams.set('error', 'access_denied')
      return {location: back.href}
    }
    const isFirst = !hasConsented
    hasConsented = true
    const code = `4/${randomUUID()}`
    codes.set(code, {
      scope: query.get('scope') ?? '',
      isOffline:
        query.get('access_type') === 'offline' && (isFirst || query.get('prompt') === 'consent'),
      challenge: query.get('code_challenge') ?? undefined,
      redirectUri: query.get('redirect_uri') ?? undefined,
    })
    back.searchParams.set('code', code)
    back.searchParams.set('scope', query.get('scope') ?? '')
    return {location: back.href}
  }

  function endpoint(url: string, call: Call): Answer {
    const {path, form} = call
    if (path === '/device/code') {
      const scope = form.get('scope') ?? ''
      const wrong = scope.split(' ').find(name => !DEVICE_SCOPES.includes(name))
      if (form.get('client_id') !== CLIENT_ID) return refused(401, 'invalid_client')
      if (wrong) return refused(400, 'invalid_scope', `Invalid device flow scope: ${wrong}`)
      const code = randomUUID()
      const userCode = `${randomUUID().slice(0, 4)}-${randomUUID().slice(0, 4)}`.toUpperCase()
      devices.set(code, {userCode, scope, state: 'pending'})
      return {
        body: {
          device_code: code,
          user_code: userCode,
          verification_url: `${issuer}/device`,
          expires_in: 1800,
          interval: 1,
        },
      }
    }
    if (path === '/revoke') {
      const token = call.query.get('token') ?? form.get('token') ?? ''
      const refresh = accessTokens.get(token)?.refresh ?? token
      const isKnown = refreshTokens.delete(refresh) || accessTokens.has(token)
      for (const [text, known] of accessTokens) {
        if (text === token || known.refresh === refresh) accessTokens.delete(text)
      }
      return isKnown ? {body: {}} : refused(400, 'invalid_token', 'Token expired or revoked')
    }
    if (path !== '/token') return {status: 404, body: `<h1>404</h1> ${url}`}
    const grant = form.get('grant_type') ?? ''
    const answer = token(call, grant)
    const error = (answer.body as {error?: string}).error
    if (error !== 'authorization_pending' && error !== 'slow_down') {
      asked.push({grant, form: Object.fromEntries(form), ...(error !== undefined && {error})})
    }
    return answer
  }

  function token({form, basic}: Call, grant: string): Answer {
    const id = basic?.[0] ?? form.get('client_id')
    const secret = basic?.[1] ?? form.get('client_secret')
    if (form.has('access_type')) {
      const words = 'Parameter not allowed for this message type: access_type'
      return refused(400, 'invalid_request', words)
    }
    if (id !== CLIENT_ID) return refused(401, 'invalid_client', 'The OAuth client was not found.')
    if (secret === null) return refused(400, 'invalid_request', 'client_secret is missing.')
    if (secret !== SECRET) return refused(401, 'invalid_client', 'Unauthorized')
    if (grant === 'refresh_token') {
      const refresh = form.get('refresh_token') ?? ''
      const scope = refreshTokens.get(refresh)
      if (scope !== undefined) return {body: tokens(scope, refresh)}
      return refused(400, 'invalid_grant', 'Token has been expired or revoked.')
    }
    if (grant === DEVICE_GRANT) return poll(form.get('device_code') ?? '')
    const given = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = form.get('code_verifier') ?? ''
    const made = createHash('sha256').update(verifier).digest('base64url')
    const isRight = !given?.challenge || given.challenge === made
    if (!given || !isRight || given.redirectUri !== form.get('redirect_uri')) {
      return refused(400, 'invalid_grant', 'Bad Request')
    }
    return {body: given.isOffline ? withRefresh(given.scope) : tokens(given.scope)}
  }

  function poll(code: string): Answer {
    const device = devices.get(code)
    if (!device) return refused(400, 'invalid_grant', 'Malformed device code')
    if (device.state === 'denied') return refused(403, 'access_denied', 'Forbidden')
    if (device.state === 'pending') {
      return refused(428, 'authorization_pending', 'Precondition Required')
    }
    devices.delete(code)
    return {body: withRefresh(device.scope)}
  }

  function withRefresh(scope: string) {
    const refresh = `1//${randomUUID()}`
    refreshTokens.set(refresh, scope)
    return {...tokens(scope, refresh), refresh_token: refresh}
  }

  function tokens(scope: string, refresh?: string) {
    const access = `ya29.${randomUUID()}`
    accessTokens.set(access, {end: Date.now() + control.lifetime * 1000, refresh})
    return {access_token: access, expires_in: control.lifetime, scope, token_type: 'Bearer'}
  }

  const accepts = (token: string) => (accessTokens.get(token)?.end ?? 0) > Date.now()
  const {baseUrl} = await startFiles({control, accepts})
  return {
    issuer,
    baseUrl,
    clientId: CLIENT_ID,
    clientSecret: SECRET,
    env: {
      DRV_BASE_URL: baseUrl,
      DRV_AUTH_URL: issuer,
      DRV_CLIENT_ID: CLIENT_ID,
      DRV_CLIENT_SECRET: SECRET,
    },
    asked,
    refreshes: () => asked.filter(({grant, error}) => grant === 'refresh_token' && !error).length,
    control,
    accepts: token => Promise.resolve(!control.isOver(token) && accepts(token)),
    endSignIns: () => Promise.resolve(refreshTokens.clear()),
    authorizeDevice: (address, userCode, agrees = true) =>
      clickThrough(address, {user_code: userCode, ...(!agrees && NO)}),
    authorizeWeb: (address, agrees = true) => clickThrough(address, agrees ? {} : NO),
  }
}

const NO: Readonly<Record<string, string>> = {no: 'no'}

function refused(status: number, error: string, error_description = error): Answer {
  return {status, body: {error, error_description}}
}
