import {description} from '#lib/api/description/index.js'
import type {Operation} from '#lib/api/operations.js'
import {parseJson} from '#lib/platform/values.js'
import {badRequest, FileServiceError, noSuchPath} from '#lib/service/errors.js'
import {readJsonBody} from '#lib/service/http/body.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import {readInputs, validCallback} from '#lib/service/http/parameters.js'
import {type OperationContext, type OperationRequest, perform} from '#lib/service/http/perform.js'
import type {Allowance} from '#lib/service/http/rate-limit.js'
import {answerResponse, asScript, failureResponse, storeFailure} from '#lib/service/http/respond.js'
import {createRouter, type Form, type MatchedRoute} from '#lib/service/http/router.js'
import type {Approval, OwnerCheck} from '#lib/service/oauth/call.js'
import {
  authenticate,
  credentialsOf,
  type TokenCaller,
} from '#lib/service/oauth/guard/authenticate.js'
import {apiVersionHeaders, authorize} from '#lib/service/oauth/guard/authorize.js'
import {partialResults, withAuthorizationUrl} from '#lib/service/oauth/guard/sso-headers.js'
import {notFoundPage} from '#lib/service/oauth/pages/public-pages.js'
import {handleOauth} from '#lib/service/oauth/routes.js'
import {itemOf} from '#lib/service/request-log/item.js'
import type {Recorder} from '#lib/service/request-log/record.js'
import type {CallFacts} from '#lib/service/request-log/request-log.js'
import {performUpload, uploadTypeOf} from '#lib/service/uploads/direct.js'
import {FINAL, refuseGoogUpload, usesGoogUpload} from '#lib/service/uploads/goog-protocol.js'
import {createReceiver} from '#lib/service/uploads/receiver.js'
import {continueUpload, startUpload} from '#lib/service/uploads/resumable.js'
import {sessionCall} from '#lib/service/uploads/session-call.js'
import {CONTENT_PATTERN} from '#lib/service/window/paths.js'
import {windowResponse} from '#lib/service/window/routes.js'
import {BATCH_PATHS, batchResponse} from './batch.js'
import {documentRoutes, type PathRoute} from './documents.js'
import {overridden, wrongMethod} from './methods.js'

/**
 * Routes requests to operations, batches and the authorization service. Operations are implemented
 * in `../handlers`, uploads in `../uploads`.
 */

/** Everything that request handlers use. */
export interface ServiceContext extends OperationContext {
  /** Counts API requests; missing if they are not limited. */
  readonly allowance?: Allowance
  /** Set if only the program that started the service may sign in. */
  readonly owner?: OwnerCheck
  /** Whether the file service publishes its issuer (RFC 9728). */
  readonly namesIssuer?: boolean
  /** Seconds between the polls of a device sign-in (default: 5). */
  readonly pollInterval?: number
  /** Decides sign-ins instead of a person. */
  readonly approval?: Approval
  readonly recorder?: Recorder
}

/** The paths of operations, uploads and downloads. */
const API_PATH = new RegExp(`^(?:/upload|/resumable/upload|/download)?/${description.servicePath}`)

/** The methods of upload sessions: PUT and POST continue the upload, DELETE cancels it. */
const SESSION_METHODS = ['PUT', 'POST', 'DELETE']

/** Responds to any request to the service; never rejects. */
export type RequestHandler = (request: ServiceRequest) => Promise<ServiceResponse>

/** Returns the handler of all requests. It checks the path first, then the caller, the parameters and the body. */
export function createRequestHandler(context: ServiceContext): RequestHandler {
  const {store, clock, log, allowance, owner, namesIssuer, pollInterval, approval, recorder} =
    context
  const {random} = store
  const route = createRouter()
  const receiver = createReceiver(context)

  /** The routes; the first one that matches responds. */
  const routes: readonly PathRoute[] = [
    ...documentRoutes,
    ...BATCH_PATHS.map((path): PathRoute => [
      path,
      request =>
        batchResponse(request, {
          serve: call => recorded(call, () => guarded(call, servePlain)),
          random,
        }),
    ]),
    [API_PATH, serveApi],
    [CONTENT_PATTERN, serveContent],
    [/^/, servePage],
  ]

  const recorded = recorder?.record ?? ((_, work) => work())

  async function answer(request: ServiceRequest): Promise<ServiceResponse> {
    const {pathname} = request.url
    if (request.method === 'OPTIONS') throw wrongMethod('OPTIONS', [])
    for (const [path, respond] of routes) {
      const found = typeof path === 'string' ? path === pathname && [] : path.exec(pathname)
      if (found) return respond(request, ...found.slice(1))
    }
    throw noSuchPath(pathname)
  }

  /** Serves a page for people, or a request to the authorization service. */
  async function servePage(request: ServiceRequest): Promise<ServiceResponse> {
    const call = {
      ...{request, store, now: clock(), name: ''},
      ...{allowance, owner, namesIssuer, pollInterval, approval},
    }
    const response = (await handleOauth(call)) ?? (await windowResponse(call, context))
    if (response) return response
    // Browsers accept text/html, programs accept JSON or anything.
    if (request.method === 'GET' && request.headers.accept?.includes('text/html')) {
      return notFoundPage(request.url.pathname)
    }
    throw noSuchPath(request.url.pathname)
  }

  /** Serves the content that links of a file name: to programs with a token as the API does, to browsers otherwise. */
  function serveContent(request: ServiceRequest, fileId = ''): Promise<ServiceResponse> {
    const {authorization, queryToken} = credentialsOf(request)
    if (authorization === undefined && queryToken === undefined) return servePage(request)
    const {url} = request
    // The recorder knows the request by this object.
    url.pathname = `/${description.servicePath}files/${fileId}`
    url.searchParams.set('alt', 'media')
    return serveApi(request)
  }

  /** Serves a request to an API path: an operation or an upload session. */
  async function serveApi(received: ServiceRequest): Promise<ServiceResponse> {
    const request = overridden(received)
    const {pathname, searchParams} = request.url
    const target = route(request.method, pathname)
    const uploadId = searchParams.get('upload_id')
    if (uploadId === null || !pathname.includes('/upload/')) return serve(request, target)
    if (!target) throw noSuchPath(pathname)
    if (!SESSION_METHODS.includes(request.method))
      throw wrongMethod(request.method, SESSION_METHODS)
    const call = recorder && sessionCall(store, uploadId, clock())
    const noteItem = (answer?: unknown) => {
      if (!call) return
      const {operation, params, user, app} = call
      const item = itemOf(operation, params, answer)
      recorder?.note(request, {user, app, item, continues: operation.operationId})
    }
    noteItem()
    const response = await continueUpload(context, receiver, uploadId, request, senderOf(request))
    if (typeof response.body === 'string') noteItem(parseJson(response.body))
    return response
  }

  /** Serves a request for an operation, sent alone or in a batch. */
  async function serve(
    request: ServiceRequest,
    target: MatchedRoute | undefined,
  ): Promise<ServiceResponse> {
    if (!target) throw noSuchPath(request.url.pathname)
    if ('allow' in target) throw wrongMethod(request.method, target.allow)
    const now = clock()
    // These headers are also part of error responses.
    const headers: Record<string, string> = {}
    try {
      Object.assign(headers, apiVersionHeaders(request.headers))
      recorder?.note(request, {operation: target.operation.operationId})
      const caller = identify(request, now, headers)
      recorder?.note(request, callerFacts(caller))
      const subject = `user:${caller.user.id}` as const
      Object.assign(headers, allowance?.take(subject, now))
      Object.assign(headers, authorize(target.operation, caller))
      const response = await respond(request, target, caller, now)
      // A response 304 (not modified) does not count against the limit.
      const back = response.status === 304 ? allowance?.giveBack(subject, now) : undefined
      return {...response, headers: {...headers, ...response.headers, ...back}}
    } catch (error) {
      if (!(error instanceof FileServiceError)) throw error
      throw new FileServiceError(error.status, error.detail, {...headers, ...error.headers})
    }
  }

  /** Returns the caller. Requests with invalid credentials count against the limit of their IP address, which goes into `headers`. */
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

  /** Responds to a request that is authorized. */
  async function respond(
    request: ServiceRequest,
    {form, operation, values}: Extract<MatchedRoute, {operation: Operation}>,
    caller: TokenCaller,
    now: number,
  ): Promise<ServiceResponse> {
    const {method, headers, url} = request
    const operationRequest: OperationRequest = {
      ...caller,
      ...readInputs(operation, form, values, url.searchParams),
      operation,
      body: {},
      method,
      headers,
      origin: url.origin,
      now,
    }
    recorder?.note(request, {item: itemOf(operation, operationRequest.params)})
    const partial = partialResults(store, operation, operationRequest.params, caller, now)
    try {
      const response = await send(request, operationRequest, form)
      return {...response, headers: {...partial, ...response.headers}}
    } catch (error) {
      if (!(error instanceof FileServiceError)) throw error
      throw withAuthorizationUrl(error, {store, now, origin: url.origin}, caller)
    }
  }

  async function send(
    request: ServiceRequest,
    operationRequest: OperationRequest,
    form: Form,
  ): Promise<ServiceResponse> {
    const {operation, params} = operationRequest
    const noteAnswer = (answer: unknown) =>
      recorder?.note(request, {item: itemOf(operation, params, answer)})
    if (form !== 'upload') {
      refuseGoogUpload(request)
      const body = await readJsonBody(operation, request)
      const answer = await perform(context, {...operationRequest, body})
      noteAnswer(answer)
      return answerResponse(store, answer, operationRequest)
    }
    const type = uploadTypeOf(request, operationRequest.uploadType)
    if (type === 'resumable') return startUpload(context, receiver, request, operationRequest)
    const answer = await performUpload(context, request, operationRequest, type)
    noteAnswer(answer)
    const response = answerResponse(store, answer, operationRequest)
    return usesGoogUpload(request)
      ? {...response, headers: {...response.headers, ...FINAL}}
      : response
  }

  /** Serves a call of a batch: an operation without upload or download. */
  async function servePlain(received: ServiceRequest): Promise<ServiceResponse> {
    const request = overridden(received)
    const {pathname} = request.url
    if (!pathname.startsWith(`/${description.servicePath}`)) {
      throw badRequest(
        `A batch may contain only calls below /${description.servicePath}, not ${pathname}.`,
      )
    }
    if (request.url.searchParams.get('alt') === 'media') {
      throw badRequest('A batch cannot contain downloads. Remove alt=media.', 'alt')
    }
    const target = route(request.method, pathname)
    const operation = target && 'operation' in target ? target.operation : undefined
    if (operation?.supportsMediaDownload && !operation.response) {
      throw badRequest(`A batch cannot contain downloads such as ${operation.operationId}.`)
    }
    return serve(request, target)
  }

  /** Returns the user of a request to an upload session; `undefined` without a token, because the session URL suffices. Throws for an invalid token. */
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

function callerFacts({user, clientId, scopes}: TokenCaller): CallFacts {
  return {user: user.login, app: clientId, scopes: [...scopes]}
}
