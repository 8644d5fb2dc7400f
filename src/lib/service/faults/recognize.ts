import {Readable} from 'node:stream'
import {effectiveMethod, readBody, type ServiceRequest} from '#lib/service/http/message.js'
import type {Router} from '#lib/service/http/router.js'
import {STANDARD_PATHS} from '#lib/service/oauth/endpoints/metadata.js'
import {REQUEST_LIMIT} from '#lib/service/oauth/endpoints/request-parameters.js'
import {BATCH_PATHS} from '#lib/service/server/batch.js'
import type {FaultCall} from './plan.js'

type Known = Pick<FaultCall, 'target' | 'via'>

/** Returns the target and kind of a request for fault rules; `known` is missing if no rule can match it. */
export async function recognize(
  route: Router,
  request: ServiceRequest,
): Promise<{readonly request: ServiceRequest; readonly known?: Known}> {
  const form = await tokenForm(request)
  if (form === undefined) return {request, known: operationCall(route, request)}
  // The body is read here to find the grant type, so the endpoint gets a copy.
  return {request: {...request, body: Readable.from([form])}, known: refreshIn(form)}
}

/** The token endpoints, which refresh tokens. */
const TOKEN_PATHS: readonly string[] = ['/login/oauth/access_token', STANDARD_PATHS.token]

/** Returns the body of a request to a token endpoint; `undefined` for other paths and for too long bodies. */
async function tokenForm({url, headers, body}: ServiceRequest): Promise<Buffer | undefined> {
  if (!TOKEN_PATHS.includes(url.pathname)) return undefined
  const isShort = Number(headers['content-length']) <= REQUEST_LIMIT
  return isShort ? readBody(body, REQUEST_LIMIT) : undefined
}

/** Recognizes a token refresh by its grant type, in a form or in JSON. */
function refreshIn(form: Buffer): Known | undefined {
  const isRefresh = /\bgrant_type"?\s*[=:]\s*"?refresh_token\b/.test(form.toString())
  return isRefresh ? {target: 'refresh', via: 'plain'} : undefined
}

/** Returns the target and kind of a call of an operation, or of a batch; `undefined` for other requests. */
function operationCall(route: Router, request: ServiceRequest): Known | undefined {
  const {pathname, searchParams} = request.url
  if (BATCH_PATHS.includes(pathname)) return {target: 'batch', via: 'plain'}
  const isChunk = searchParams.has('upload_id') && pathname.includes('/upload/')
  // Chunks are sent with PUT, but the operation may have the method POST.
  const methods = isChunk ? ['POST', 'PUT'] : [effectiveMethod(request)]
  for (const method of methods) {
    const found = route(method, pathname)
    if (!found || 'allow' in found) continue
    const {operationId, supportsMediaDownload, response} = found.operation
    const isDownload = supportsMediaDownload && (!response || searchParams.get('alt') === 'media')
    const via = isChunk ? 'chunk' : isDownload ? 'download' : found.form
    return {target: operationId, via}
  }
  return undefined
}
