import {description} from '#lib/api/description/index.js'
import type {Operation} from '#lib/api/operations.js'
import type {Answer} from '#lib/service/call.js'
import {ApiError, badRequest, failure, methodNotAllowed} from '#lib/service/errors.js'
import {readJsonBody} from '#lib/service/http/body.js'
import {type OperationContext, perform} from '#lib/service/http/dispatch.js'
import {asScript, wantedCallback} from '#lib/service/http/jsonp.js'
import {type ServiceRequest, type ServiceResponse, wantedMethod} from '#lib/service/http/message.js'
import {readInputs} from '#lib/service/http/parameters.js'
import type {Allowance} from '#lib/service/http/ratelimit.js'
import {answerResponse, failureResponse} from '#lib/service/http/respond.js'
import {createRouter, type Form, type Route} from '#lib/service/http/router.js'
import {storeFailure} from '#lib/service/http/store-failure.js'
import type {OwnerCheck} from '#lib/service/oauth/call.js'
import {authenticate, type TokenCaller} from '#lib/service/oauth/guard/authenticate.js'
import {apiVersionHeaders, authorize} from '#lib/service/oauth/guard/authorize.js'
import {partialResults, withAuthorizationUrl} from '#lib/service/oauth/guard/sso-headers.js'
import {handleOauth} from '#lib/service/oauth/routes.js'
import {type Admitted, jobOf, performUpload, uploadTypeOf} from '#lib/service/uploads/direct.js'
import {FINAL, refuseGoogUpload, speaksGoogUpload} from '#lib/service/uploads/goog-protocol.js'
import {createReceiver} from '#lib/service/uploads/receiver.js'
import {continueUpload, startUpload} from '#lib/service/uploads/resumable.js'
import {apiDocsResponse} from './api-docs.js'
import {batchResponse, isBatchPath} from './batch.js'
import {discoveryResponse} from './discovery.js'
import {itemPageResponse} from './item-pages.js'

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
}

/** Answers any request to the service; never throws. */
export type RequestHandler = (request: ServiceRequest) => Promise<ServiceResponse>

/** Everything the service answers, in the order in which a request is looked at: path, sender, parameters, body. */
export function createRequestHandler(context: ServiceContext): RequestHandler {
  const {store, clock, log, allowance, owner} = context
  const route = createRouter()
  const receiver = createReceiver(context)

  async function answer(received: ServiceRequest): Promise<ServiceResponse> {
    const {pathname, searchParams} = received.url
    if (received.method === 'OPTIONS') throw wrongMethod('OPTIONS', [])
    const discovery = discoveryResponse(received)
    if (discovery) return discovery
    const docs = apiDocsResponse(received)
    if (docs) return docs
    const itemPage = itemPageResponse(received)
    if (itemPage) return itemPage
    if (isBatchPath(pathname)) {
      const serve = (inner: ServiceRequest) => guarded(inner, servePlain)
      return batchResponse(received, {serve, random: store.random})
    }
    if (!isApiPath(pathname)) {
      const response = await handleOauth({
        request: received,
        store,
        now: clock(),
        allowance,
        owner,
      })
      if (!response) throw noSuchPath(pathname)
      return response
    }
    const request = overridden(received)
    const target = route(request.method, pathname)
    const uploadId = searchParams.get('upload_id')
    if (uploadId !== null && pathname.includes('/upload/')) {
      const inSession = sessionRequest(request, target)
      return continueUpload(context, receiver, uploadId, inSession, senderOf(request))
    }
    return serve(request, target)
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
    const inputs = readInputs(operation, form, values, request.url.searchParams)
    const admitted: Admitted = {request, operation, inputs, caller, now}
    const partial = partialResults(store, operation, inputs.params, caller, now)
    try {
      const response = await send(admitted, form)
      return {...response, headers: {...partial, ...response.headers}}
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw withAuthorizationUrl(error, {store, now, origin: request.url.origin}, caller)
    }
  }

  async function send(admitted: Admitted, form: Form): Promise<ServiceResponse> {
    const {request} = admitted
    if (form !== 'upload') {
      refuseGoogUpload(request)
      const body = await readJsonBody(admitted.operation, request)
      return respond(admitted, await perform(context, jobOf(admitted, body)))
    }
    const type = uploadTypeOf(admitted)
    if (type === 'resumable') return startUpload(context, receiver, admitted)
    const response = respond(admitted, await performUpload(context, admitted, type))
    return speaksGoogUpload(request)
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

  function respond({request, inputs}: Admitted, result: Answer) {
    return answerResponse(store, result, {...inputs, ...request})
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
      const callback = isApiPath(pathname) ? wantedCallback(searchParams) : undefined
      return asScript(failureResponse(storeFailure(store, error, log), log), callback)
    }
  }

  return request => guarded(request, answer)
}

function isApiPath(pathname: string): boolean {
  const servicePath = `/${description.servicePath}`
  return ['', '/upload', '/resumable/upload', '/download'].some(prefix =>
    pathname.startsWith(prefix + servicePath),
  )
}

function credentialsOf({headers, url}: ServiceRequest) {
  const queryToken =
    url.searchParams.get('access_token') ?? url.searchParams.get('oauth_token') ?? undefined
  return {authorization: headers.authorization, queryToken}
}

/** The request with the method that is meant; 400 for one that there is not. */
function overridden(request: ServiceRequest): ServiceRequest {
  const method = wantedMethod(request)
  if (method === request.method) return request
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) {
    throw badRequest(`X-HTTP-Method-Override cannot be ${method}.`)
  }
  return {...request, method}
}

/** Checks the method of a request to an upload session: PUT (or POST) goes on, DELETE cancels. */
function sessionRequest(request: ServiceRequest, target: Route | undefined): ServiceRequest {
  if (!target) throw noSuchPath(request.url.pathname)
  const methods = ['PUT', 'POST', 'DELETE']
  if (!methods.includes(request.method)) throw wrongMethod(request.method, methods)
  return request
}

function noSuchPath(pathname: string) {
  return failure(404, 'notFound', `There is nothing at ${pathname}.`)
}

function wrongMethod(method: string, allow: readonly string[]) {
  const others = allow.length > 0 ? `, only ${allow.join(', ')}` : ''
  return methodNotAllowed(`${method} does not work here${others}.`, allow)
}
