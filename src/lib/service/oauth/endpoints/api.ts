import {BodyTooLarge, readBody, type ServiceResponse} from '#lib/service/http/message.js'
import type {OauthCall} from '#lib/service/oauth/call.js'
import {authenticate, readBasic} from '#lib/service/oauth/guard/authenticate.js'
import {apiVersionHeaders, tokenHeaders} from '#lib/service/oauth/guard/authorize.js'
import {namedByLogin, noSubject, refuseLocked} from '#lib/service/oauth/guard/lockout.js'
import {connectionPath} from '#lib/service/oauth/pages/paths.js'
import {appById} from '#lib/service/oauth/store/apps.js'
import {countAttempt} from '#lib/service/oauth/store/attempts.js'
import {findToken} from '#lib/service/oauth/store/tokens.js'
import {makePersonalToken} from '#lib/service/oauth/tokens/personal-token.js'
import {isAppSecret} from '#lib/service/oauth/tokens/secrets.js'
import {scopeNamesOf, scopesOf, tokenFormOf} from '#lib/service/oauth/tokens/token.js'
import {pictureLink, profileLink} from '#lib/service/records/common.js'
import {type User, userByLogin} from '#lib/service/store/users.js'
import {answer, type Body, isoSeconds, json, problem, problemBody} from './api-answer.js'
import {
  asUnreadableRequest,
  readParameters,
  REQUEST_LIMIT,
  UnreadableRequest,
} from './request-parameters.js'

/** GET /user: returns the user of the token; any valid token suffices (reference: oauth.md, section 9). */
export function userEndpoint(call: OauthCall): ServiceResponse {
  return answer(call, () => {
    const version = apiVersionHeaders(call.request.headers)
    const caller = callerOf(call)
    const spent = call.allowance?.take(`user:${caller.user.id}`, call.now)
    return json(200, userAnswer(caller.user, call), {
      ...version,
      ...spent,
      ...tokenHeaders(caller),
      'X-Accepted-OAuth-Scopes': '',
    })
  })
}

/** GET /rate_limit: returns the caller's rate limit, without counting the request (reference: oauth.md, section 8). 404 if requests are not limited. */
export function rateLimitEndpoint(call: OauthCall): ServiceResponse {
  return answer(call, () => {
    const {allowance, now, request} = call
    const version = apiVersionHeaders(request.headers)
    if (!allowance) throw problem(404, 'Rate limiting is not enabled.')
    const subject = request.headers.authorization
      ? (`user:${callerOf(call).user.id}` as const)
      : (`address:${request.remoteAddress}` as const)
    const core = {...allowance.rateOf(subject, now)}
    return json(200, {resources: {core}, rate: core}, version)
  })
}

function callerOf({request, store, now}: OauthCall) {
  return authenticate(store, {authorization: request.headers.authorization}, now)
}

/** POST /applications/{client_id}/token: returns the details of a token to its app (reference: oauth.md, section 10). */
export async function tokenCheckEndpoint(call: OauthCall): Promise<ServiceResponse> {
  const {request, store, now, name: clientId} = call
  const text = await readBody(request.body, REQUEST_LIMIT).then(String, (error: unknown) => {
    if (error instanceof BodyTooLarge) return undefined
    throw error
  })
  return answer(call, () => {
    const version = apiVersionHeaders(request.headers)
    const named = authenticateApp(call)
    const headers = {...version, ...call.allowance?.take(`app:${named}`, now)}
    if (text === undefined) throw problem(413, 'The body is longer than 65536 bytes.')
    const token = tokenField(text)
    if (typeof token !== 'string' || token === '') {
      const code = token === undefined ? 'missing_field' : 'invalid'
      const errors = [{resource: 'OauthAccess', field: 'access_token', code}]
      return json(422, {...problemBody(call, 422, 'Validation Failed'), errors}, headers)
    }
    const found = findToken(store, token, now)
    if (named !== clientId || !found?.live || found.client_id !== clientId) {
      throw problem(404, 'Not Found')
    }
    const app = appById(store, clientId)!
    const review = request.url.origin + connectionPath(clientId)
    const created = isoSeconds(found.created_at)
    return json(
      200,
      {
        id: found.id,
        url: review,
        app: {client_id: clientId, name: app.name, url: app.home_url ?? review},
        token,
        hashed_token: found.hash,
        token_last_eight: found.last_eight,
        note: found.note,
        note_url: null,
        created_at: created,
        updated_at: created,
        expires_at: found.expires_at && isoSeconds(found.expires_at),
        scopes: scopeNamesOf(found),
        fingerprint: null,
        user: userAnswer(found.user, call),
      },
      headers,
    )
  })
}

/**
 * Returns the client ID of the app that authenticates with its secret. Throws 401 otherwise. Failed
 * attempts count against the app and never against a user, because the credentials belong to the app
 * (spec: authorization.md, Authentication 4).
 */
function authenticateApp({request, store, now}: OauthCall): string {
  const basic = readBasic(request.headers.authorization)
  if (!basic) throw problem(401, 'Requires authentication', BASIC)
  const app = appById(store, basic.user)
  const named = app ? (`app:${app.client_id}` as const) : noSubject(basic.user)
  refuseLocked(store, named, now)
  if (app && isAppSecret(app, basic.password)) return app.client_id
  countAttempt(store, named, now)
  throw problem(401, 'Bad credentials', BASIC)
}

const BASIC = {'WWW-Authenticate': 'Basic realm="drv"'}

/** Returns the field `access_token` of a JSON body. Throws 400 unless the body is a JSON object. */
function tokenField(text: string): unknown {
  let body: unknown
  try {
    body = JSON.parse(text === '' ? '{}' : text)
  } catch {
    throw problem(400, 'Problems parsing JSON')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw problem(400, 'Body should be a JSON object')
  }
  return (body as Body).access_token
}

function userAnswer(user: User, {request}: OauthCall): Body {
  const {origin} = request.url
  return {
    login: user.login,
    id: user.id,
    node_id: Buffer.from(`User:${user.id}`).toString('base64'),
    url: `${origin}/user`,
    html_url: profileLink(origin, user.login),
    avatar_url: pictureLink(origin, user.permission_id),
    type: 'User',
    name: user.name,
    email: user.email,
    created_at: isoSeconds(user.created_at),
    updated_at: isoSeconds(user.updated_at),
  }
}

/** 404 for an unsupported method. */
export function unknownPath(call: OauthCall): ServiceResponse {
  return json(404, problemBody(call, 404, 'Not Found'))
}

/**
 * The non-web flow (spec: authorization.md, Authentication 6): creates a personal token with Basic
 * authentication. The user name is a login, and the password must be empty, because accounts of the
 * local service have none. Requests from web pages are refused by their `Origin` header.
 */
export async function tokensByPassword(call: OauthCall): Promise<ServiceResponse> {
  const {store, now, request} = call
  const form = await readParameters(request).catch(asUnreadableRequest)
  return answer(call, () => {
    if (form instanceof UnreadableRequest) throw problem(form.status, form.message)
    if (request.headers.origin !== undefined) {
      throw problem(
        403,
        'Web pages cannot create tokens this way. Use the form at /settings/tokens.',
      )
    }
    const basic = readBasic(request.headers.authorization)
    const named = namedByLogin(store, basic?.user ?? '')
    refuseLocked(store, named, now)
    const user = basic && userByLogin(store, basic.user)
    if (!user || user.suspended || basic.password !== '') {
      countAttempt(store, named, now)
      throw problem(401, 'Bad credentials', {'WWW-Authenticate': 'Basic realm="drv"'})
    }
    const made = makePersonalToken(call, user, form)
    if (typeof made === 'string') throw problem(422, made)
    const found = findToken(store, made.token, now)!
    return json(201, {
      id: found.id,
      kind: tokenFormOf(found),
      token: made.token,
      note: found.note,
      scopes: scopesOf(found),
      permissions: found.permissions,
      created_at: isoSeconds(found.created_at),
      expires_at: found.expires_at && isoSeconds(found.expires_at),
    })
  })
}
