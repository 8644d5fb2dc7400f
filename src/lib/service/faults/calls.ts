import {isBatchPath} from '../http/batch.js'
import {type ServiceRequest, wantedMethod} from '../http/message.js'
import {createRouter} from '../http/router.js'
import type {FaultCall} from './decide.js'

/** What a request is to the rules of a plan; `undefined` for one they are not about. */
export function createRecognizer(): (
  request: ServiceRequest,
) => Pick<FaultCall, 'target' | 'via'> | undefined {
  const route = createRouter()

  return request => {
    const {pathname, searchParams} = request.url
    if (isBatchPath(pathname)) return {target: 'batch', via: 'plain'}
    const isChunk = searchParams.has('upload_id') && pathname.includes('/upload/')
    // A chunk is sent with PUT, whatever the session was begun with.
    const methods = isChunk ? ['POST', 'PUT'] : [wantedMethod(request)]
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
}
