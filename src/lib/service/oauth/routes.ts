import type {ServiceRequest, ServiceResponse} from '../http.js'
import {ERRORS_PATH} from './errors.js'
import {UnreadableRequest} from './formats.js'
import {authorizeFormPage, authorizePage} from './pages/authorize.js'
import {connectionFormPage, connectionPage} from './pages/connection.js'
import {deviceEntryPage, deviceFormPage} from './pages/device.js'
import {errorsPage} from './pages/errors.js'
import {refusalPage} from './pages/layout.js'
import {deviceCodeEndpoint, type OauthContext, tokenEndpoint} from './token.js'
import {tokenCheckEndpoint, unknownPath, userEndpoint} from './user.js'

type Endpoint = (
  request: ServiceRequest,
  context: OauthContext,
) => ServiceResponse | Promise<ServiceResponse>

type AppEndpoint = (
  request: ServiceRequest,
  context: OauthContext,
  clientId: string,
) => ServiceResponse | Promise<ServiceResponse>

/** What each path does, by method (spec: authorization.md, Endpoints). */
const routes: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = {
  '/login/device': {GET: deviceEntryPage, POST: asPage(deviceFormPage)},
  '/login/device/code': {POST: deviceCodeEndpoint},
  '/login/oauth/access_token': {POST: tokenEndpoint},
  '/login/oauth/authorize': {GET: authorizePage, POST: asPage(authorizeFormPage)},
  [ERRORS_PATH]: {GET: errorsPage},
  '/user': {GET: userEndpoint},
}

/** Paths that name an app. */
const appRoutes: ReadonlyArray<{
  readonly path: RegExp
  readonly methods: Readonly<Record<string, AppEndpoint>>
}> = [
  {path: /^\/applications\/([^/]+)\/token$/, methods: {POST: tokenCheckEndpoint}},
  {
    path: /^\/settings\/connections\/applications\/([^/]+)$/,
    methods: {GET: connectionPage, POST: asPage(connectionFormPage)},
  },
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
  const methods = Object.hasOwn(routes, path) ? routes[path] : appRoute(path)
  if (!methods) return undefined
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const endpoint = Object.hasOwn(methods, method) ? methods[method] : undefined
  return endpoint ? endpoint(request, context) : unknownPath(context)
}

function appRoute(path: string): Readonly<Record<string, Endpoint>> | undefined {
  for (const {path: pattern, methods} of appRoutes) {
    const segment = pattern.exec(path)?.[1]
    if (segment === undefined) continue
    const clientId = decoded(segment)
    return Object.fromEntries(
      Object.entries(methods).map(([method, endpoint]) => [
        method,
        (request: ServiceRequest, context: OauthContext) => endpoint(request, context, clientId),
      ]),
    )
  }
  return undefined
}

/** A segment that is badly encoded names no app. */
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
