import {badRequest, methodNotAllowed} from '#lib/service/errors.js'
import {effectiveMethod, type ServiceRequest} from '#lib/service/http/message.js'

/** Returns the request with the method of X-HTTP-Method-Override, if any. Throws 400 for an unsupported method. */
export function overridden(request: ServiceRequest): ServiceRequest {
  const method = effectiveMethod(request)
  if (method === request.method) return request
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) {
    throw badRequest(`X-HTTP-Method-Override cannot be ${method}.`)
  }
  return {...request, method}
}

/** 405 with the methods that a path supports. */
export function wrongMethod(method: string, allow: readonly string[]) {
  const supported = allow.length > 0 ? ` Use ${allow.join(', ')}.` : ''
  return methodNotAllowed(`This path does not support ${method}.${supported}`, allow)
}
