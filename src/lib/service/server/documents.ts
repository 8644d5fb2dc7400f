import {description, descriptionAt} from '#lib/api/description/index.js'
import type {Method, RestDescription} from '#lib/api/types.js'
import {badRequest, failure, methodNotAllowed, noSuchPath} from '#lib/service/errors.js'
import {namesTag, type ServiceRequest, type ServiceResponse} from '#lib/service/http/message.js'
import {jsonResponse} from '#lib/service/http/respond.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import {page} from '#lib/service/oauth/pages/layout.js'
import {etagOf} from '#lib/service/records/common.js'

/** What answers a path; `values` are the groups of its pattern. */
export type PathRoute = readonly [
  path: string | RegExp,
  respond: (
    request: ServiceRequest,
    ...values: ReadonlyArray<string | undefined>
  ) => ServiceResponse | Promise<ServiceResponse>,
]

/** The methods of something that can only be read; `refusal` says so with 405, or its path is none with 404. */
function readOnly(refusal: string | undefined, respond: PathRoute[1]): PathRoute[1] {
  return (request, ...values) => {
    if (request.method === 'GET') return respond(request, ...values)
    throw refusal === undefined
      ? noSuchPath(request.url.pathname)
      : methodNotAllowed(refusal, ['GET'])
  }
}

const DESCRIPTION = 'The description can be read with GET only.'

/** The icon of the API: a folder, as PNG, base64, by the name that the description has for its size. */
const ICON_DATA: Readonly<Record<string, string>> = {
  x16: 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAIElEQVR4nGNgGBRAKfzkf2x44A0ghEcNGDWAugYMKAAAELlWqKH25WgAAAAASUVORK5CYII=',
  x32: 'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAANUlEQVR4nO3OsQ0AIAgAQWZhKWd2KmxcgNCYeJ98fxHSLdeuzgAA0wEAAAAAAAAAAN4D6NsOHHJarEOT+CkAAAAASUVORK5CYII=',
}

/** Outlines on a square of 24 by 24. */
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
 * What anybody can look at: the list of documents and the description document (reference:
 * description-format.md, section 7) with what it links to, and what the links of files and users
 * lead a browser to. Those tell nothing of them: the local service has no viewer and no profiles.
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
    readOnly('This can be read with GET only.', respond),
  ]),
  ...Object.entries(ICONS).map(([name, path]): PathRoute => [
    `/icons/${name}.svg`,
    readOnly(undefined, () => svgResponse(path)),
  ]),
  [/^\/avatars\/[^/]+\.svg$/, readOnly(undefined, () => svgResponse(PERSON))],
  [/^\/users\/[^/]+$/, readOnly(undefined, profilePage)],
  [/^\/open\/([\w-]+)(\/preview)?$/, readOnly(undefined, openPage)],
]

function descriptionOf(request: ServiceRequest, name?: string, version?: string): ServiceResponse {
  if (name !== description.name || version !== description.version) {
    throw failure(404, 'notFound', `There is no API ${name} ${version} here.`)
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
/** The page about a description: where the service is, and each method by its resource. */
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
        <dd>the address that all paths below start with</dd>
        <dt>POST ${rootUrl}${batchPath}</dt>
        <dd>many calls as one</dd>
      </dl>
      <p>
        The whole of it for programs is the <a href="${rest}">description document</a>, which is in
        the <a href="${list}">list of documents</a>. In a terminal:
      </p>
      <dl>
        <dt>drv api describe --description ${address}</dt>
        <dd>every method, parameter and record</dd>
        <dt>drv api types --description ${address}</dt>
        <dd>a client in TypeScript</dd>
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
  {id, httpMethod, path, description: words, deprecated, mediaUpload, parameters}: Method,
  api: string,
): Html {
  const upload = mediaUpload?.protocols?.simple?.path
  const names = Object.keys(parameters ?? {})
  return html`<dt id="${id}">${id.replace(`${api}.`, '')}</dt>
    <dd>
      <code>${httpMethod} ${path}</code><br />
      ${deprecated && html`<span class="tag warn">deprecated</span> `}${words}
      ${upload && html`<br />With content: <code>${httpMethod} ${upload}</code>`}
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
    title: 'An account of the local service',
    body: html`<p>The local service has no profile pages. Run these commands in a terminal:</p>
      <dl>
        <dt>drv about get</dt>
        <dd>shows your own account</dd>
        <dt>drv local user list</dt>
        <dd>lists all accounts of the local service</dd>
      </dl>`,
  })
}

function openPage(_: ServiceRequest, id = '', preview?: string): ServiceResponse {
  return page({
    title: 'A file of the local service',
    isFramed: preview !== undefined,
    body: html`<p>The local service shows no files in a browser. Look at it in a terminal:</p>
      <dl>
        <dt>drv files get ${id}</dt>
        <dd>what is known about it</dd>
        <dt>drv files get ${id} --output</dt>
        <dd>its content</dd>
        <dt>drv files list --q "'${id}' in parents"</dt>
        <dd>what is in it, if it is a folder</dd>
      </dl>`,
  })
}
