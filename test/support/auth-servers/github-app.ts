import {randomUUID} from 'node:crypto'
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

const CLIENT_ID = 'Iv1.abcdef'
const SECRET = 'app-secret'

/**
 * A stub of a GitHub-like service whose apps have expiring tokens: paths as documented, no metadata, status 200
 * for every refusal, form-encoded responses unless JSON is requested; a refresh revokes the previous access and
 * refresh tokens at once, and needs no secret after the device flow. With `redirects`, unknown URLs redirect to a
 * page or to themselves.
 */
export async function startGithubApp({
  redirects,
}: {readonly redirects?: 'page' | 'itself'} = {}): Promise<ForeignServer> {
  const control = new Control()
  const asked: Asked[] = []
  const devices = new Map<string, {userCode: string; state: string}>()
  const codes = new Set<string>()
  /** The access token, and whether its refresh requires a secret, by refresh token. */
  const pairs = new Map<string, {access: string; needsSecret: boolean}>()
  const ends = new Map<string, number>()

  const issuer = await listen(url => stub(control, call => answer(url, call)))

  function answer(url: string, call: Call): Answer {
    const {method, path, query, form} = call
    switch (path) {
      case '/login/device/code': {
        if (form.get('client_id') !== CLIENT_ID) return {status: 404, body: {error: 'Not Found'}}
        const code = randomUUID()
        const userCode = `${randomUUID().slice(0, 4)}-${randomUUID().slice(0, 4)}`.toUpperCase()
        devices.set(code, {userCode, state: 'pending'})
        const codes = {device_code: code, user_code: userCode, expires_in: 899, interval: 1}
        return fields({...codes, verification_uri: `${url}/login/device`}, call)
      }
      case '/login/device': {
        if (method === 'GET') return {body: consentPage({user_code: ''})}
        const device = [...devices.values()].find(one => one.userCode === form.get('user_code'))
        if (device) device.state = form.has('no') ? 'denied' : 'approved'
        return {body: device ? 'Congratulations' : 'Unknown code'}
      }
      case '/login/oauth/authorize': {
        if (method === 'GET') return {body: consentPage({decision: 'yes'})}
        const back = new URL(query.get('redirect_uri')!)
        const code = randomUUID()
        codes.add(code)
        back.searchParams.set('state', query.get('state') ?? '')
        if (form.has('no')) back.searchParams.set('error', 'access_denied')
        else back.searchParams.set('code', code)
        return {location: back.href}
      }
      case '/login/oauth/access_token': {
        const body = token(form)
        const error = 'error' in body ? String(body.error) : undefined
        if (error !== 'authorization_pending') {
          const grant = form.get('grant_type') ?? 'authorization_code'
          asked.push({grant, form: Object.fromEntries(form), ...(error !== undefined && {error})})
        }
        return fields(body, call)
      }
      case '/login':
        return {body: '<!doctype html><h1>Sign in</h1>'}
      default:
        if (redirects) return {location: redirects === 'page' ? '/login' : `${url}${path}`}
        return {status: 404, body: '<!doctype html><h1>Not Found</h1>'}
    }
  }

  function token(form: URLSearchParams): Fields {
    if (form.get('client_id') !== CLIENT_ID) return {error: 'incorrect_client_credentials'}
    const isSecret = form.get('client_secret') === SECRET
    if (form.get('grant_type') === 'refresh_token') {
      const refresh = form.get('refresh_token') ?? ''
      const pair = pairs.get(refresh)
      if (!pair) {
        const words = 'The refresh token passed is incorrect or expired.'
        return {error: 'bad_refresh_token', error_description: words}
      }
      if (pair.needsSecret && !isSecret) return {error: 'incorrect_client_credentials'}
      pairs.delete(refresh)
      ends.delete(pair.access)
      return tokens(pair.needsSecret)
    }
    if (form.has('device_code')) {
      const device = devices.get(form.get('device_code')!)
      if (!device) return {error: 'incorrect_device_code'}
      if (device.state === 'pending') return {error: 'authorization_pending'}
      if (device.state === 'denied') return {error: 'access_denied'}
      devices.delete(form.get('device_code')!)
      return tokens(false)
    }
    if (!isSecret) return {error: 'incorrect_client_credentials'}
    return codes.delete(form.get('code') ?? '') ? tokens(true) : {error: 'bad_verification_code'}
  }

  function tokens(needsSecret: boolean): Fields {
    const access = `ghu_${randomUUID().replaceAll('-', '')}`
    const refresh = `ghr_${randomUUID().replaceAll('-', '')}`
    ends.set(access, Date.now() + control.lifetime * 1000)
    pairs.set(refresh, {access, needsSecret})
    return {
      access_token: access,
      expires_in: control.lifetime,
      refresh_token: refresh,
      refresh_token_expires_in: 15_897_600,
      token_type: 'bearer',
      scope: '',
    }
  }

  const accepts = (token: string) => (ends.get(token) ?? 0) > Date.now()
  const {baseUrl} = await startFiles({control, accepts, hasUser: true})
  return {
    issuer,
    baseUrl,
    clientId: CLIENT_ID,
    clientSecret: SECRET,
    env: {DRV_BASE_URL: baseUrl, DRV_AUTH_URL: issuer, DRV_CLIENT_ID: CLIENT_ID},
    asked,
    refreshes: () => asked.filter(({grant, error}) => grant === 'refresh_token' && !error).length,
    control,
    accepts: token => Promise.resolve(!control.isOver(token) && accepts(token)),
    endSignIns: () => Promise.resolve(pairs.clear()),
    authorizeDevice: (address, userCode, agrees = true) =>
      clickThrough(address, {user_code: userCode, ...(!agrees && NO)}),
    authorizeWeb: (address, agrees = true) => clickThrough(address, agrees ? {} : NO),
  }
}

type Fields = Readonly<Record<string, string | number>>

const NO: Readonly<Record<string, string>> = {no: 'no'}

function fields(body: Fields, {accept}: Call): Answer {
  if (accept.includes('json')) return {body}
  const pairs = Object.entries(body).map(([name, value]): [string, string] => [name, String(value)])
  const type = 'application/x-www-form-urlencoded'
  return {body: new URLSearchParams(pairs).toString(), type}
}
