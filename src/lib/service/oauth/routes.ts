import type {ServiceRequest, ServiceResponse} from '../http/message.js'
import type {OauthContext} from './context.js'
import {ERRORS_PATH} from './endpoints/oautherrors.js'
import {UnreadableRequest} from './endpoints/requestparameters.js'
import {deviceCodeEndpoint, tokenEndpoint} from './endpoints/token.js'
import {rateLimitEndpoint, tokenCheckEndpoint, unknownPath, userEndpoint} from './endpoints/user.js'
import {applicationsPage} from './pages/applications.js'
import {authorizeFormPage, authorizePage} from './pages/authorize.js'
import {connectionFormPage, connectionPage} from './pages/connection.js'
import {deviceEntryPage, deviceFormPage} from './pages/device.js'
import {errorsPage} from './pages/errors.js'
import {refusalPage} from './pages/layout.js'
import {newTokenPage} from './pages/newtoken.js'
import {APPLICATIONS_PATH, SIGN_IN_PATH, TOKENS_PATH} from './pages/paths.js'
import {signInFormPage, signInPage, signOutFormPage} from './pages/signin.js'
import {ssoFormPage, ssoPage} from './pages/sso.js'
import {tokensFormPage, tokensPage} from './pages/tokens.js'

/**
 * The rooms of the authorization service: `endpoints/` answers programs and `pages/` people, both by
 * means of `flows/`, which knows the steps of a sign-in. `guard/` tells who sends a request to the
 * API and what they may do there; `tokens/` what tokens, scopes and permissions are. All SQL, and
 * nothing that decides or answers, is in `store/`.
 */

type Endpoint = (
  request: ServiceRequest,
  context: OauthContext,
) => ServiceResponse | Promise<ServiceResponse>

type NamedEndpoint = (
  request: ServiceRequest,
  context: OauthContext,
  name: string,
) => ServiceResponse | Promise<ServiceResponse>

/** What each path does, by method (spec: authorization.md, Endpoints). */
const routes: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = {
  '/login/device': {GET: deviceEntryPage, POST: asPage(deviceFormPage)},
  '/login/device/code': {POST: deviceCodeEndpoint},
  '/login/oauth/access_token': {POST: tokenEndpoint},
  '/login/oauth/authorize': {GET: authorizePage, POST: asPage(authorizeFormPage)},
  [ERRORS_PATH]: {GET: errorsPage},
  [APPLICATIONS_PATH]: {GET: applicationsPage},
  [SIGN_IN_PATH]: {GET: signInPage, POST: asPage(signInFormPage)},
  [TOKENS_PATH]: {GET: tokensPage, POST: asPage(tokensFormPage)},
  [`${TOKENS_PATH}/new`]: {GET: newTokenPage},
  '/logout': {POST: asPage(signOutFormPage)},
  '/rate_limit': {GET: rateLimitEndpoint},
  '/user': {GET: userEndpoint},
}

/** Paths that name an app or an organization. */
const namedRoutes: ReadonlyArray<{
  readonly path: RegExp
  readonly methods: Readonly<Record<string, NamedEndpoint>>
}> = [
  {path: /^\/applications\/([^/]+)\/token$/, methods: {POST: tokenCheckEndpoint}},
  {
    path: /^\/settings\/connections\/applications\/([^/]+)$/,
    methods: {GET: connectionPage, POST: asPage(connectionFormPage)},
  },
  {path: /^\/orgs\/([^/]+)\/sso$/, methods: {GET: ssoPage, POST: asPage(ssoFormPage)}},
]

/**
 * Answers a request to the authorization service; `undefined` for a path that is none of its own.
 * A method that a path does not have is 404 (reference: oauth.md, section 1).
 */
export async function handleOauth(
  request: ServiceRequest,
  context: OauthContext,
): Promise<ServiceResponse | undefined> {
  const path = request.url.pathname
  const methods = Object.hasOwn(routes, path) ? routes[path] : namedRoute(path)
  if (!methods) return undefined
  const {method} = request
  const endpoint = Object.hasOwn(methods, method) ? methods[method] : undefined
  return endpoint ? endpoint(request, context) : unknownPath(context)
}

function namedRoute(path: string): Readonly<Record<string, Endpoint>> | undefined {
  for (const {path: pattern, methods} of namedRoutes) {
    const segment = pattern.exec(path)?.[1]
    if (segment === undefined) continue
    const name = decoded(segment)
    return Object.fromEntries(
      Object.entries(methods).map(([method, endpoint]) => [
        method,
        (request: ServiceRequest, context: OauthContext) => endpoint(request, context, name),
      ]),
    )
  }
  return undefined
}

/** A segment that is badly encoded names nothing. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return ''
  }
}

/** A form that cannot be read is answered with a page, like everything else about it. */
function asPage<Rest extends readonly unknown[]>(
  work: (...rest: Rest) => Promise<ServiceResponse>,
): (...rest: Rest) => Promise<ServiceResponse> {
  return async (...rest) => {
    try {
      return await work(...rest)
    } catch (error) {
      if (!(error instanceof UnreadableRequest)) throw error
      return refusalPage(error.status, 'The form cannot be read', error.message)
    }
  }
}
