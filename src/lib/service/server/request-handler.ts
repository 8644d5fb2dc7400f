import {description} from '#lib/api/description/index.js'
import type {Operation} from '#lib/api/operations.js'
import {ApiError, badRequest, methodNotAllowed, noSuchPath} from '#lib/service/errors.js'
import {readJsonBody} from '#lib/service/http/body.js'
import {
  type ServiceRequest,
  type ServiceResponse,
  effectiveMethod,
} from '#lib/service/http/message.js'
import {readInputs, validCallback} from '#lib/service/http/parameters.js'
import {type OperationContext, type OperationRequest, perform} from '#lib/service/http/perform.js'
import type {Allowance} from '#lib/service/http/rate-limit.js'
import {answerResponse, asScript, failureResponse, storeFailure} from '#lib/service/http/respond.js'
import {createRouter, type Form, type Route} from '#lib/service/http/router.js'
import type {OwnerCheck} from '#lib/service/oauth/call.js'
import {authenticate, type TokenCaller} from '#lib/service/oauth/guard/authenticate.js'
import {apiVersionHeaders, authorize} from '#lib/service/oauth/guard/authorize.js'
import {partialResults, withAuthorizationUrl} from '#lib/service/oauth/guard/sso-headers.js'
import {notFoundPage} from '#lib/service/oauth/pages/public-pages.js'
import {handleOauth} from '#lib/service/oauth/routes.js'
import {performUpload, uploadTypeOf} from '#lib/service/uploads/direct.js'
import {FINAL, refuseGoogUpload, usesGoogUpload} from '#lib/service/uploads/goog-protocol.js'
import {createReceiver} from '#lib/service/uploads/receiver.js'
import {continueUpload, startUpload} from '#lib/service/uploads/resumable.js'
import {BATCH_PATHS, batchResponse} from './batch.js'
import {documentRoutes, type PathRoute} from './documents.js'

/**
 * Requests come in here, and are led to an operation, a batch or the authorization service. What an
 * operation does belongs to `../handlers`, how content is taken in to `../uploads`.
 */

/** What every request is served with. */
export interface ServiceContext extends OperationContext {
  /** Counts API requests, where they are limited. */
  readonly allowance?: Allowance
  /** Set where one command runs the service for itself. */
  readonly owner?: OwnerCheck
  /** The file service names the issuer of its tokens (RFC 9728). */
  readonly namesIssuer?: boolean
}

/** Where operations are, and the content of some. */
const API_PATH = new RegExp(`^(?:/upload|/resumable/upload|/download)?/${description.servicePath}`)

/** What a request to an upload session may be: PUT (or POST) goes on, DELETE cancels. */
const SESSION_METHODS = ['PUT', 'POST', 'DELETE']

/** Answers any request to the service; never throws. */
export type RequestHandler = (request: ServiceRequest) => Promise<ServiceResponse>

/** Everything the service answers, in the order in which a request is looked at: path, sender, parameters, body. */
export function createRequestHandler(context: ServiceContext): RequestHandler {
  const {store, clock, log, allowance, owner, namesIssuer} = context
  const {random} = store
  const route = createRouter()
  const receiver = createReceiver(context)

  /** What answers each path: of several that fit, the first. */
  const routes: readonly PathRoute[] = [
    ...documentRoutes,
    ...BATCH_PATHS.map((path): PathRoute => [
      path,
      request => batchResponse(request, {serve: call => guarded(call, servePlain), random}),
    ]),
    [API_PATH, serveApi],
    [/^/, serveOauth],
  ]

  async function answer(request: ServiceRequest): Promise<ServiceResponse> {
    const {pathname} = request.url
    if (request.method === 'OPTIONS') throw wrongMethod('OPTIONS', [])
    for (const [path, respond] of routes) {
      const found = typeof path === 'string' ? path === pathname && [] : path.exec(pathname)
      if (found) return respond(request, ...found.slice(1))
    }
    throw noSuchPath(pathname)
  }

  async function serveOauth(request: ServiceRequest): Promise<ServiceResponse> {
    const response = await handleOauth({
      request,
      store,
      now: clock(),
      allowance,
      owner,
      namesIssuer,
    })
    if (response) return response
    // A browser asks for pages, a program for anything or for JSON.
    if (request.method === 'GET' && request.headers.accept?.includes('text/html')) {
      return notFoundPage(request.url.pathname)
    }
    throw noSuchPath(request.url.pathname)
  }

  /** A request below the API's paths: for an operation, or to an upload session. */
  async function serveApi(received: ServiceRequest): Promise<ServiceResponse> {
    const request = overridden(received)
    const {pathname, searchParams} = request.url
    const target = route(request.method, pathname)
    const uploadId = searchParams.get('upload_id')
    if (uploadId === null || !pathname.includes('/upload/')) return serve(request, target)
    if (!target) throw noSuchPath(pathname)
    if (!SESSION_METHODS.includes(request.method))
      throw wrongMethod(request.method, SESSION_METHODS)
    return continueUpload(context, receiver, uploadId, request, senderOf(request))
  }

  /** A request for an operation, whichever way it came. */
  async function serve(
    request: ServiceRequest,
    target: Route | undefined,
  ): Promise<ServiceResponse> {
    if (!target) throw noSuchPath(request.url.pathname)
    if ('allow' in target) throw wrongMethod(request.method, target.allow)
    const now = clock()
    // They come with the answer, also where it is a refusal.
    const headers: Record<string, string> = {}
    try {
      Object.assign(headers, apiVersionHeaders(request.headers))
      const caller = identify(request, now, headers)
      const subject = `user:${caller.user.id}` as const
      Object.assign(headers, allowance?.take(subject, now))
      Object.assign(headers, authorize(target.operation, caller))
      const response = await answerFor(request, target, caller, now)
      // To ask again for what has not changed costs nothing.
      const back = response.status === 304 ? allowance?.giveBack(subject, now) : undefined
      return {...response, headers: {...headers, ...response.headers, ...back}}
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw new ApiError(error.status, error.detail, {...headers, ...error.headers})
    }
  }

  /** Who calls. One who cannot tell is counted by address, in `headers`. */
  function identify(
    request: ServiceRequest,
    now: number,
    headers: Record<string, string>,
  ): TokenCaller {
    try {
      return authenticate(store, credentialsOf(request), now)
    } catch (error) {
      Object.assign(headers, allowance?.take(`address:${request.remoteAddress}`, now))
      throw error
    }
  }

  /** The answer to a request whose sender may do what it asks for. */
  async function answerFor(
    request: ServiceRequest,
    {form, operation, values}: Extract<Route, {operation: Operation}>,
    caller: TokenCaller,
    now: number,
  ): Promise<ServiceResponse> {
    const {method, headers, url} = request
    const asked: OperationRequest = {
      ...caller,
      ...readInputs(operation, form, values, url.searchParams),
      operation,
      body: {},
      method,
      headers,
      origin: url.origin,
      now,
    }
    const partial = partialResults(store, operation, asked.params, caller, now)
    try {
      const response = await send(request, asked, form)
      return {...response, headers: {...partial, ...response.headers}}
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw withAuthorizationUrl(error, {store, now, origin: url.origin}, caller)
    }
  }

  async function send(
    request: ServiceRequest,
    asked: OperationRequest,
    form: Form,
  ): Promise<ServiceResponse> {
    if (form !== 'upload') {
      refuseGoogUpload(request)
      const body = await readJsonBody(asked.operation, request)
      return answerResponse(store, await perform(context, {...asked, body}), asked)
    }
    const type = uploadTypeOf(request, asked.uploadType)
    if (type === 'resumable') return startUpload(context, receiver, request, asked)
    const answer = await performUpload(context, request, asked, type)
    const response = answerResponse(store, answer, asked)
    return usesGoogUpload(request)
      ? {...response, headers: {...response.headers, ...FINAL}}
      : response
  }

  /** A call within a batch: for an operation, without content. */
  async function servePlain(received: ServiceRequest): Promise<ServiceResponse> {
    const request = overridden(received)
    const {pathname} = request.url
    if (!pathname.startsWith(`/${description.servicePath}`)) {
      throw badRequest(
        `A batch holds calls below /${description.servicePath} only, not ${pathname}.`,
      )
    }
    if (request.url.searchParams.get('alt') === 'media') {
      throw badRequest('A batch cannot hold downloads: leave out alt=media.', 'alt')
    }
    const target = route(request.method, pathname)
    const operation = target && 'operation' in target ? target.operation : undefined
    if (operation?.supportsMediaDownload && !operation.response) {
      throw badRequest(`A batch cannot hold downloads such as ${operation.operationId}.`)
    }
    return serve(request, target)
  }

  /** Whom a request to an upload session shows to be; its address alone is enough, a bad token is not. */
  function senderOf(request: ServiceRequest): number | undefined {
    const credentials = credentialsOf(request)
    if (credentials.authorization === undefined && credentials.queryToken === undefined) {
      return undefined
    }
    return authenticate(store, credentials, clock()).user.id
  }

  async function guarded(request: ServiceRequest, work: RequestHandler): Promise<ServiceResponse> {
    try {
      return await work(request)
    } catch (error) {
      const {pathname, searchParams} = request.url
      const callback = API_PATH.test(pathname) ? validCallback(searchParams) : undefined
      return asScript(failureResponse(storeFailure(store, error, log), log), callback)
    }
  }

  return request => guarded(request, answer)
}

/** What a request shows of who sent it. */
export function credentialsOf({headers, url}: ServiceRequest) {
  const queryToken =
    url.searchParams.get('access_token') ?? url.searchParams.get('oauth_token') ?? undefined
  return {authorization: headers.authorization, queryToken}
}

/** The request with the method that is meant; 400 for one that there is not. */
function overridden(request: ServiceRequest): ServiceRequest {
  const method = effectiveMethod(request)
  if (method === request.method) return request
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) {
    throw badRequest(`X-HTTP-Method-Override cannot be ${method}.`)
  }
  return {...request, method}
}

function wrongMethod(method: string, allow: readonly string[]) {
  const others = allow.length > 0 ? `, only ${allow.join(', ')}` : ''
  return methodNotAllowed(`${method} does not work here${others}.`, allow)
}
