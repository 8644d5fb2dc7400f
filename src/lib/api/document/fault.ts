import {
  HTTP_METHODS,
  isOfSameApi,
  isOperationId,
  isSafeMethod,
  type Operation,
  operation,
} from '#lib/api/operations.js'
import type {Method, RestDescription} from '#lib/api/types.js'
import {isBelow, withoutEndSlashes} from '#lib/api/url-paths.js'
import {isObject, shown} from '#lib/platform/values.js'

/**
 * Why a method of a description cannot be called, whatever its parameters are; `undefined` where it can.
 * Fits behind the method's name.
 */
export function methodFault(method: Operation): string | undefined {
  const {httpMethod, document, operationId} = method
  if (!HTTP_METHODS.some(known => known === httpMethod)) {
    return `has the method ${shown(httpMethod)}, which is none of ${HTTP_METHODS.join(', ')}`
  }
  // drv itself asks by these, such as for what is about to be deleted.
  const known = isOfSameApi(document) && isOperationId(operationId) && operation(operationId)
  if (known && isSafeMethod(known.httpMethod) && !isSafeMethod(httpMethod)) {
    return `has the method ${httpMethod}, but only reads (${known.httpMethod}) in ${document.id}`
  }
  const out = pathsOf(method, document).find(path => !isBelowRoot(document.rootUrl, path))
  return out === undefined
    ? undefined
    : `has a path that leads out of ${document.rootUrl}: ${shown(out)}`
}

/** Whether a path below the root address of a description stays below it. */
export function isBelowRoot(rootUrl: string, path: string): boolean {
  return isBelow(rootUrl, `${withoutEndSlashes(rootUrl)}/${path}`)
}

/** The paths of a method below the root address. */
function pathsOf({path, mediaUpload}: Method, {servicePath}: RestDescription): string[] {
  const {protocols} = mediaUpload ?? {}
  const uploads = Object.values(isObject(protocols) ? protocols : {})
  return [
    servicePath + path,
    ...uploads.flatMap(upload =>
      isObject(upload) && typeof upload.path === 'string' ? [upload.path] : [],
    ),
  ]
}
