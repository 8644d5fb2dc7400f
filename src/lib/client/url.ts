import {isBuiltIn, type Operation, pathParameters} from '#lib/api/operations.js'
import {pathProblem} from '#lib/api/path-values.js'
import {encodeSegment, expandPath, isBelow, TemplateError} from '#lib/api/url-paths.js'
import {shownAddress} from '#lib/config/address.js'
import {printable} from '#lib/platform/sanitize.js'
import {ownProperty, parseUrl} from '#lib/platform/values.js'
import type {ParameterTexts} from './client.js'
import {InputError, ProtocolError} from './errors.js'

/** Builds URLs from the description (reference: description-format.md, sections 5 and 6); the base URL may have a path. */

/** Upload protocol; `undefined` for a request without content. */
export type UploadType = 'media' | 'multipart' | 'resumable'

/** Parameters that would put a token into a URL, which ends up in logs and histories. */
export const TOKEN_PARAMETERS: ReadonlySet<string> = new Set(['access_token', 'oauth_token'])

/**
 * The URL of a request with exactly the given `params`, percent-encoded, lists as repeated pairs. Throws
 * `TemplateError` for a path value that is missing or would address another operation, and `InputError` for a
 * parameter that the operation lacks or the client sets itself, and for a path outside the base URL.
 */
export function requestUrl(
  baseUrl: string,
  operation: Operation,
  params: ParameterTexts,
  uploadType?: UploadType,
): string {
  const inPath = pathParameters(operation)
  const values = Object.fromEntries(inPath.map(name => [name, pathValue(operation, name, params)]))
  const pairs = Object.entries(params).flatMap(([name, value]) => {
    if (inPath.includes(name)) return []
    checkQueryParameter(operation, name, uploadType)
    return [value].flat().map(text => [name, text] as const)
  })
  if (uploadType) pairs.push(['uploadType', uploadType])
  const query = pairs.map(([name, text]) => `${encodeSegment(name)}=${encodeSegment(text)}`)
  const path = expandPath(pathTemplate(operation, uploadType), values)
  const address = `${baseUrl}${path}`
  // Check here, because a batch sends the path unchanged.
  if (!isBelow(baseUrl, address)) throw outside(baseUrl, operation.operationId, address)
  return `${address}${query.length > 0 ? '?' : ''}${query.join('&')}`
}

/** The error for a described path outside the service's base URL. */
function outside(baseUrl: string, id: string, address: string): InputError {
  const place = parseUrl(address)?.href ?? address
  return new InputError(
    `The description places ${printable(id, 100)} at ${printable(place, 200)}, which is outside ${baseUrl}. drv did not send the request.`,
  )
}

/** The path template with a leading slash. */
function pathTemplate(operation: Operation, uploadType: UploadType | undefined): string {
  if (!uploadType) return `/${operation.document.servicePath}${operation.path}`
  const {simple, resumable} = operation.mediaUpload?.protocols ?? {}
  // The specification puts sessions at the path for simple uploads (files-api.md, Endpoints, rule 2).
  const inOneGo = simple ?? resumable
  const isOther = uploadType === 'resumable' && !isBuiltIn(operation.document)
  const protocol = isOther ? (resumable ?? simple) : inOneGo
  if (!protocol) throw new InputError(`${operation.operationId} does not accept content.`)
  return protocol.path.replace(/^\/*/, '/')
}

function pathValue(operation: Operation, name: string, params: ParameterTexts): string {
  const value = ownProperty(params, name) ?? ''
  if (typeof value !== 'string') throw new InputError(`${name} accepts a single value, not a list.`)
  const problem = pathProblem(operation, name, value)
  if (problem) throw new TemplateError(name, problem.text)
  return value
}

function checkQueryParameter(
  {operationId, parameters, document}: Operation,
  name: string,
  uploadType: UploadType | undefined,
): void {
  if (!Object.hasOwn(parameters, name) && !Object.hasOwn(document.parameters, name)) {
    throw new InputError(`${operationId} has no parameter ${JSON.stringify(name)}.`)
  }
  if (TOKEN_PARAMETERS.has(name)) {
    throw new InputError(`${name} is never sent in a URL. Set DRV_TOKEN instead.`)
  }
  if (uploadType && (name === 'uploadType' || name === 'upload_protocol')) {
    throw new InputError(`drv sets ${name} itself. Omit it.`)
  }
}

/** Throws `ProtocolError` for a URL from the service to which no request may be sent. */
export function checkUrlTarget(baseUrl: string, url: string): void {
  const [base, to] = [new URL(baseUrl), new URL(url)]
  // Do not even send a request without a token.
  if (to.origin !== base.origin) {
    throw new ProtocolError(
      `${base.host} returned a URL of another host (${printable(to.host, 100)}). drv sent no request there.`,
    )
  }
  // The same origin may host other services, such as those of another tenant.
  if (!isBelow(baseUrl, url)) {
    throw new ProtocolError(
      `The request URL ${printable(shownAddress(to), 200)} is outside ${baseUrl}. drv did not send the request.`,
    )
  }
}
