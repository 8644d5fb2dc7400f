import {isBuiltIn, type Operation, pathParameters} from '#lib/api/operations.js'
import {pathProblem} from '#lib/api/path-values.js'
import {encodeSegment, expandPath, isBelow, TemplateError} from '#lib/api/url-paths.js'
import {shownAddress} from '#lib/config/address.js'
import {printable} from '#lib/platform/sanitize.js'
import {own, parseUrl} from '#lib/platform/values.js'
import type {ParameterTexts} from './client.js'
import {InputError, ProtocolError} from './errors.js'

/** Addresses from the description (reference: description-format.md, sections 5 and 6), below a base that may have a path. */

/** How content goes up; `undefined` for a request without content. */
export type UploadType = 'media' | 'multipart' | 'resumable'

/** Parameters that would put a token into an address, where logs and histories keep it. */
export const TOKEN_PARAMETERS: ReadonlySet<string> = new Set(['access_token', 'oauth_token'])

/**
 * The address of a request: only what is in `params`, lists as repeated pairs, percent-encoded. Throws `TemplateError`
 * for a path value that is missing or leads to another operation, `InputError` for a parameter that the operation does
 * not have or the client decides, and for a path out of the base address.
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
  // A batch sends the path as it stands here.
  if (!isBelow(baseUrl, address)) throw outside(baseUrl, operation.operationId, address)
  return `${address}${query.length > 0 ? '?' : ''}${query.join('&')}`
}

/** For a path of a description that climbs out of the service's address: what is there belongs to others. */
function outside(baseUrl: string, id: string, address: string): InputError {
  const place = parseUrl(address)?.href ?? address
  return new InputError(
    `The description has ${printable(id, 100)} at ${printable(place, 200)}, which is not below ${baseUrl}. drv sends nothing there.`,
  )
}

/** The path template from the root, with a slash in front. */
function pathTemplate(operation: Operation, uploadType: UploadType | undefined): string {
  if (!uploadType) return `/${operation.document.servicePath}${operation.path}`
  const {simple, resumable} = operation.mediaUpload?.protocols ?? {}
  // The specification has sessions at the path for content in one go (files-api.md, Endpoints, rule 2).
  const inOneGo = simple ?? resumable
  const isOther = uploadType === 'resumable' && !isBuiltIn(operation.document)
  const protocol = isOther ? (resumable ?? simple) : inOneGo
  if (!protocol) throw new InputError(`${operation.operationId} takes no content.`)
  return protocol.path.replace(/^\/*/, '/')
}

function pathValue(operation: Operation, name: string, params: ParameterTexts): string {
  const value = own(params, name) ?? ''
  if (typeof value !== 'string') throw new InputError(`${name} takes one value, not a list.`)
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
    throw new InputError(`${name} is never sent in an address. Set DRV_TOKEN instead.`)
  }
  if (uploadType && (name === 'uploadType' || name === 'upload_protocol')) {
    throw new InputError(`${name} is chosen for each upload; leave it out.`)
  }
}

/** Throws `ProtocolError` for an address that the service gave and that no request may go to. */
export function checkTarget(baseUrl: string, url: string): void {
  const [base, to] = [new URL(baseUrl), new URL(url)]
  // Not even a request goes there.
  if (to.origin !== base.origin) {
    throw new ProtocolError(
      `${base.host} names an address of ${printable(to.host, 100)} for a request of its own. drv sends nothing there.`,
    )
  }
  // Below the same origin something else may be, such as the files of another tenant.
  if (!isBelow(baseUrl, url)) {
    throw new ProtocolError(
      `A request leads to ${printable(shownAddress(to), 200)}, which is not below ${baseUrl}. drv sends nothing there.`,
    )
  }
}
