import {description, descriptionAt} from '#lib/api/description/index.js'
import type {Method, RestDescription} from '#lib/api/types.js'
import {badRequest, failure, methodNotAllowed, noSuchPath} from '#lib/service/errors.js'
import {namesTag, type ServiceRequest, type ServiceResponse} from '#lib/service/http/message.js'
import {jsonResponse} from '#lib/service/http/respond.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import {page} from '#lib/service/oauth/pages/layout.js'
import {etagOf} from '#lib/service/records/common.js'

/** A path and the function that responds to it; `values` are the groups of the pattern. */
export type PathRoute = readonly [
  path: string | RegExp,
  respond: (
    request: ServiceRequest,
    ...values: ReadonlyArray<string | undefined>
  ) => ServiceResponse | Promise<ServiceResponse>,
]

/** Allows GET only. Other methods get 405 with `refusal` as the message, or 404 without `refusal`. */
function readOnly(refusal: string | undefined, respond: PathRoute[1]): PathRoute[1] {
  return (request, ...values) => {
    if (request.method === 'GET') return respond(request, ...values)
    throw refusal === undefined
      ? noSuchPath(request.url.pathname)
      : methodNotAllowed(refusal, ['GET'])
  }
}

const DESCRIPTION = 'The API description supports GET only.'

/** The icon of the API, a folder, as base64 PNG, by the size name of the description. */
const ICON_DATA: Readonly<Record<string, string>> = {
  x16: 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAIElEQVR4nGNgGBRAKfzkf2x44A0ghEcNGDWAugYMKAAAELlWqKH25WgAAAAASUVORK5CYII=',
  x32: 'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAANUlEQVR4nO3OsQ0AIAgAQWZhKWd2KmxcgNCYeJ98fxHSLdeuzgAA0wEAAAAAAAAAAN4D6NsOHHJarEOT+CkAAAAASUVORK5CYII=',
}

/** SVG paths on a grid of 24 by 24. */
const SHEET = 'M6 2h8l5 5v15H6z M14 2v5h5'
const ICONS: Readonly<Record<string, string>> = {
  folder: 'M3 5h6l2 2h10v12H3z',
  shortcut: `${SHEET} M9 17l6-6 M11 11h4v4`,
  document: `${SHEET} M9 11h7 M9 14h7 M9 17h7`,
  spreadsheet: `${SHEET} M9 11h7v7H9z M9 14.5h7 M12.5 11v7`,
  image: 'M3 5h18v14H3z M3 16l5-5 5 5 3-3 5 4',
  file: SHEET,
}

const PERSON = 'M12 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8z M4 21c1-5 4-7 8-7s7 2 8 7'

/**
 * Public documents: the list of descriptions and the description (reference: description-format.md,
 * section 7), its icons and documentation, and the page that links of users open, which shows no
 * data, because the local service has no profiles.
 */
export const documentRoutes: readonly PathRoute[] = [
  ['/discovery/v1/apis', readOnly(DESCRIPTION, directory)],
  [/^\/discovery\/v1\/apis\/([^/]+)\/([^/]+)\/rest$/, readOnly(DESCRIPTION, descriptionOf)],
  [
    /^\/(?:\$|%24)discovery\/rest$/,
    readOnly(DESCRIPTION, request => {
      const version = request.url.searchParams.get('version') ?? description.version
      return descriptionOf(request, description.name, version)
    }),
  ],
  ...[
    [
      description.documentationLink!,
      ({url}: ServiceRequest) => docsPage(descriptionAt(url.origin)),
    ] as const,
    ...Object.entries(description.icons!).map(([name, address]) => {
      const icon = Buffer.from(ICON_DATA[name]!, 'base64')
      return [address, () => iconResponse('image/png', icon)] as const
    }),
  ].map(([address, respond]): PathRoute => [
    new URL(address).pathname,
    readOnly('This path supports GET only.', respond),
  ]),
  ...Object.entries(ICONS).map(([name, path]): PathRoute => [
    `/icons/${name}.svg`,
    readOnly(undefined, () => svgResponse(path)),
  ]),
  [/^\/avatars\/[^/]+\.svg$/, readOnly(undefined, () => svgResponse(PERSON))],
  [/^\/users\/[^/]+$/, readOnly(undefined, profilePage)],
]

function descriptionOf(request: ServiceRequest, name?: string, version?: string): ServiceResponse {
  if (name !== description.name || version !== description.version) {
    throw failure(404, 'notFound', `API not found: ${name} ${version}.`)
  }
  return tagged(request, descriptionAt(request.url.origin))
}

function directory(request: ServiceRequest): ServiceResponse {
  const {origin, searchParams: query} = request.url
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
  return tagged(request, {
    kind: 'discovery#directoryList',
    discoveryVersion: description.discoveryVersion,
    items: isWanted ? [item] : [],
  })
}

function tagged({headers, url}: ServiceRequest, document: unknown): ServiceResponse {
  const tag = etagOf(document)
  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined && namesTag(noneMatch, tag)) {
    return {status: 304, headers: {ETag: tag}}
  }
  return jsonResponse(200, document, {ETag: tag}, url.searchParams.get('prettyPrint') !== 'false')
}

/** Returns the documentation page of a description: base URL, batch path, and the methods of each resource. */
export function docsPage(document: RestDescription): ServiceResponse {
  const {title, version, resources, name, rootUrl, baseUrl, batchPath} = document
  const groups = Object.entries(resources)
  const list = '/discovery/v1/apis'
  const rest = `${list}/${encodeURIComponent(name)}/${encodeURIComponent(version)}/rest`
  const address = rootUrl.replace(/\/$/, '') + rest
  return page({
    title: `${title} ${version}`,
    width: 'wide',
    body: html`<p>${document.description}</p>
      <dl>
        <dt>${baseUrl}</dt>
        <dd>Base URL of all paths below</dd>
        <dt>POST ${rootUrl}${batchPath}</dt>
        <dd>Send several calls in one request</dd>
      </dl>
      <p>
        Programs can read the API from its <a href="${rest}">description document</a>, listed in the
        <a href="${list}">discovery list</a>. In a terminal, run:
      </p>
      <dl>
        <dt>drv api describe --description ${address}</dt>
        <dd>Show methods, parameters and schemas</dd>
        <dt>drv api types --description ${address}</dt>
        <dd>Generate TypeScript types</dd>
      </dl>
      <nav aria-label="Resources">
        ${groups.map(([group]) => html`<a href="#${encodeURIComponent(group)}">${group}</a>`)}
      </nav>
      ${groups.map(
        ([group, {methods}]) =>
          html`<h2 id="${group}">${group}</h2>
            <dl>${Object.values(methods).map(method => entry(method, name))}</dl>`,
      )}`,
  })
}

function entry(
  {id, httpMethod, path, description: text, deprecated, mediaUpload, parameters}: Method,
  api: string,
): Html {
  const upload = mediaUpload?.protocols?.simple?.path
  const names = Object.keys(parameters ?? {})
  return html`<dt id="${id}">${id.replace(`${api}.`, '')}</dt>
    <dd>
      <code>${httpMethod} ${path}</code><br />
      ${deprecated && html`<span class="tag warn">deprecated</span> `}${text}
      ${upload && html`<br />Upload: <code>${httpMethod} ${upload}</code>`}
      ${names.length > 0 && html`<br /><small>Parameters: ${names.join(', ')}</small>`}
    </dd>`
}

function svgResponse(path: string): ServiceResponse {
  return iconResponse(
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" fill="none" ' +
      `stroke="#5b6675" stroke-width="1.5" stroke-linejoin="round"><path d="${path}"/></svg>`,
  )
}

function iconResponse(type: string, body: Buffer | string): ServiceResponse {
  return {
    status: 200,
    headers: {
      'Content-Type': type,
      'Cache-Control': 'public, max-age=86400',
      'X-Content-Type-Options': 'nosniff',
    },
    body,
  }
}

function profilePage(): ServiceResponse {
  return page({
    title: 'Account of the local service',
    body: html`<p>The local service has no profile pages. In a terminal, run:</p>
      <dl>
        <dt>drv about get</dt>
        <dd>Show your account</dd>
        <dt>drv local user list</dt>
        <dd>List all accounts of the local service</dd>
      </dl>`,
  })
}
