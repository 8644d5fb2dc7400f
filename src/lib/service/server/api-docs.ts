import {description, descriptionAt} from '#lib/api/description/index.js'
import type {Method, RestDescription} from '#lib/api/types.js'
import {methodNotAllowed} from '#lib/service/errors.js'
import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import {page} from '#lib/service/oauth/pages/layout.js'

/**
 * What handlers answer, or throw, becomes a response here: JSON, bytes, a range of them, a script, an
 * error. What is in an answer is decided by `../../handlers` and `../../records`. This file: what the
 * description document links to, its icons and a page about it for people.
 */

/** The icon of the API: a folder, as PNG, base64, by the name that the description has for its size. */
const ICON_DATA: Readonly<Record<string, string>> = {
  x16: 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAIElEQVR4nGNgGBRAKfzkf2x44A0ghEcNGDWAugYMKAAAELlWqKH25WgAAAAASUVORK5CYII=',
  x32: 'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAYAAABzenr0AAAANUlEQVR4nO3OsQ0AIAgAQWZhKWd2KmxcgNCYeJ98fxHSLdeuzgAA0wEAAAAAAAAAAN4D6NsOHHJarEOT+CkAAAAASUVORK5CYII=',
}

/** Where these are, below the service's root. */
const DOCS_PATH = new URL(description.documentationLink!).pathname
const ICONS = new Map(
  Object.entries(description.icons!).map(([name, address]) => [
    new URL(address).pathname,
    Buffer.from(ICON_DATA[name]!, 'base64'),
  ]),
)

/** Answers the addresses in the description, for anybody; `undefined` for any other path. Throws 405. */
export function apiDocsResponse({method, url}: ServiceRequest): ServiceResponse | undefined {
  const icon = ICONS.get(url.pathname)
  if (icon === undefined && url.pathname !== DOCS_PATH) return undefined
  if (method !== 'GET') throw methodNotAllowed('This can be read with GET only.', ['GET'])
  return icon === undefined ? docsPage(descriptionAt(url.origin)) : iconResponse(icon)
}

function iconResponse(body: Buffer): ServiceResponse {
  return {
    status: 200,
    headers: {
      'Content-Type': 'image/png',
      'Cache-Control': 'public, max-age=86400',
      'X-Content-Type-Options': 'nosniff',
    },
    body,
  }
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
            <dl>${Object.values(methods).map(entry)}</dl>`,
      )}`,
  })
}

function entry({id, httpMethod, path, description: words, deprecated, mediaUpload}: Method): Html {
  const upload = mediaUpload?.protocols?.simple?.path
  return html`<dt id="${id}">${httpMethod} ${path}</dt>
    <dd>
      ${deprecated && html`<span class="tag warn">deprecated</span> `}${words}
      ${upload && html`<br />With content: <code>${httpMethod} ${upload}</code>`}
    </dd>`
}
