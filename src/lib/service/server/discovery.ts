import {description, descriptionAt} from '#lib/api/description/index.js'
import {badRequest, failure, methodNotAllowed} from '#lib/service/errors.js'
import {namesTag} from '#lib/service/http/conditions.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import {jsonResponse} from '#lib/service/http/respond.js'
import {etagOf} from '#lib/service/records/common.js'

/**
 * The description document and the list of documents, for anybody (reference:
 * description-format.md, section 7). `undefined` for any other path.
 */
export function discoveryResponse(request: ServiceRequest): ServiceResponse | undefined {
  const {pathname, searchParams, origin} = request.url
  const [, name, version] = /^\/discovery\/v1\/apis\/([^/]+)\/([^/]+)\/rest$/.exec(pathname) ?? []
  const isList = pathname === '/discovery/v1/apis'
  const isOwn = pathname === '/$discovery/rest' || pathname === '/%24discovery/rest'
  if (!isList && !isOwn && name === undefined) return undefined
  if (request.method !== 'GET') {
    throw methodNotAllowed('The description can be read with GET only.', ['GET'])
  }
  if (isList) return tagged(request, directory(origin, searchParams))
  const asked = isOwn
    ? {name: description.name, version: searchParams.get('version') ?? description.version}
    : {name, version}
  if (asked.name !== description.name || asked.version !== description.version) {
    throw failure(404, 'notFound', `There is no API ${asked.name} ${asked.version} here.`)
  }
  return tagged(request, descriptionAt(origin))
}

function directory(origin: string, query: URLSearchParams) {
  const {id, name, version, title, description: text, labels} = description
  const {icons, documentationLink} = descriptionAt(origin)
  const preferred = query.get('preferred')
  if (preferred !== null && preferred !== 'true' && preferred !== 'false') {
    throw badRequest('preferred must be true or false.', 'preferred', 'invalidParameter')
  }
  const path = `apis/${name}/${version}/rest`
  const item = {
    kind: 'discovery#directoryItem',
    id,
    name,
    version,
    title,
    description: text,
    discoveryRestUrl: `${origin}/discovery/v1/${path}`,
    discoveryLink: `./${path}`,
    icons,
    documentationLink,
    labels,
    preferred: true,
  }
  const isWanted = query.get('name') === null || query.get('name') === name
  return {
    kind: 'discovery#directoryList',
    discoveryVersion: description.discoveryVersion,
    items: isWanted ? [item] : [],
  }
}

function tagged({headers, url}: ServiceRequest, document: unknown): ServiceResponse {
  const tag = etagOf(document)
  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined && namesTag(noneMatch, tag)) {
    return {status: 304, headers: {ETag: tag}}
  }
  return jsonResponse(200, document, {ETag: tag}, url.searchParams.get('prettyPrint') !== 'false')
}
