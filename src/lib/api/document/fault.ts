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
import {isObject, quoteText} from '#lib/platform/values.js'

/**
 * Why a method can never be called as described, to follow the method's name; `undefined` if it can.
 */
export function methodFault(method: Operation): string | undefined {
  const {httpMethod, document, operationId} = method
  if (!HTTP_METHODS.some(known => known === httpMethod)) {
    return `has the HTTP method ${quoteText(httpMethod)}, which is not one of ${HTTP_METHODS.join(', ')}`
  }
  // drv calls these methods itself, for example to show what a command would delete.
  const known = isOfSameApi(document) && isOperationId(operationId) && operation(operationId)
  if (known && isSafeMethod(known.httpMethod) && !isSafeMethod(httpMethod)) {
    return `has the HTTP method ${httpMethod}, but ${document.id} defines it as ${known.httpMethod}`
  }
  const out = pathsOf(method, document).find(path => !isBelowRoot(document.rootUrl, path))
  return out === undefined
    ? undefined
    : `has the path ${quoteText(out)}, which is outside ${document.rootUrl}`
}

/** Whether a path relative to a description's root URL stays below it. */
export function isBelowRoot(rootUrl: string, path: string): boolean {
  return isBelow(rootUrl, `${withoutEndSlashes(rootUrl)}/${path}`)
}

/** The paths of a method relative to the root URL. */
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
