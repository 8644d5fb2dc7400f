import {Readable} from 'node:stream'
import {readBody, type ServiceRequest, effectiveMethod} from '#lib/service/http/message.js'
import type {Router} from '#lib/service/http/router.js'
import {STANDARD_PATHS} from '#lib/service/oauth/endpoints/metadata.js'
import {BATCH_PATHS} from '#lib/service/server/batch.js'
import type {FaultCall} from './plan.js'

type Known = Pick<FaultCall, 'target' | 'via'>

/** A request, and what it is to the rules of a plan: nothing where they are not about it. */
export async function recognize(
  route: Router,
  request: ServiceRequest,
): Promise<{readonly request: ServiceRequest; readonly known?: Known}> {
  const form = await tokenForm(request)
  if (form === undefined) return {request, known: operationCall(route, request)}
  // It is read to know the grant, and read again by who answers it.
  return {request: {...request, body: Readable.from([form])}, known: refreshIn(form)}
}

/** Where refresh tokens are changed for access tokens. */
const TOKEN_PATHS: readonly string[] = ['/login/oauth/access_token', STANDARD_PATHS.token]

/** No request to such a path that is answered with a token is longer than this, in bytes. */
const FORM_LIMIT = 64 * 1024

/** The body of a request to such a path, where it says that it is short. */
async function tokenForm({url, headers, body}: ServiceRequest): Promise<Buffer | undefined> {
  if (!TOKEN_PATHS.includes(url.pathname)) return undefined
  const isShort = Number(headers['content-length']) <= FORM_LIMIT
  return isShort ? readBody(body, FORM_LIMIT) : undefined
}

/** A form or JSON is about a refresh where it names the grant. */
function refreshIn(form: Buffer): Known | undefined {
  const isRefresh = /\bgrant_type"?\s*[=:]\s*"?refresh_token\b/.test(form.toString())
  return isRefresh ? {target: 'refresh', via: 'plain'} : undefined
}

/** What a request is to the rules of a plan; `undefined` for one they are not about. */
function operationCall(route: Router, request: ServiceRequest): Known | undefined {
  const {pathname, searchParams} = request.url
  if (BATCH_PATHS.includes(pathname)) return {target: 'batch', via: 'plain'}
  const isChunk = searchParams.has('upload_id') && pathname.includes('/upload/')
  // A chunk is sent with PUT, whatever the session was begun with.
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
