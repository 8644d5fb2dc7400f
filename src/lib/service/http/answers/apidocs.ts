import {description} from '../../../api/description/index.js'
import {operations} from '../../../api/operations.js'
import {html} from '../../oauth/pages/html.js'
import {page} from '../../oauth/pages/layout.js'
import type {ServiceRequest, ServiceResponse} from '../message.js'
import {apiIcon} from './apiicon.js'

/**
 * What handlers answer, or throw, becomes a response here: JSON, bytes, a range of them, a script, an
 * error. What is in an answer is decided by `../../handlers` and `../../records`. This file: what the
 * description document links to, its icons and a page about it for people.
 */

/** Where these are, below the service's root. */
const DOCS_PATH = new URL(description.documentationLink!).pathname
const ICONS = new Map(
  Object.entries(description.icons!).map(([name, address]) => [
    new URL(address).pathname,
    Number(name.slice(1)),
  ]),
)

/** Answers the addresses in the description, for anybody; `undefined` for any other path. */
export function apiDocsResponse({method, url}: ServiceRequest): ServiceResponse | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (url.pathname === DOCS_PATH) return docsPage(url.origin)
  const size = ICONS.get(url.pathname)
  return size === undefined ? undefined : iconResponse(size)
}

function iconResponse(size: number): ServiceResponse {
  return {
    status: 200,
    headers: {
      'Content-Type': 'image/png',
      'Cache-Control': 'public, max-age=86400',
      'X-Content-Type-Options': 'nosniff',
    },
    body: apiIcon(size),
  }
}

function docsPage(origin: string): ServiceResponse {
  const {title, version, servicePath, resources, name} = description
  const groups = Object.keys(resources).map(
    resource => html`
      <h2 id="${resource}">${resource}</h2>
      <dl>
        ${operations
          .filter(operation => operation.resource === resource)
          .map(
            ({id, httpMethod, path, description: words}) => html`
              <dt id="${id}">${httpMethod} /${servicePath}${path}</dt>
              <dd>${words}</dd>
            `,
          )}
      </dl>
    `,
  )
  const rest = `/discovery/v1/apis/${name}/${version}/rest`
  return page({
    title: `${title} ${version}`,
    width: 'wide',
    body: html`<p>${description.description}</p>
      <p>
        The whole of it for programs is the <a href="${rest}">description document</a>. In a
        terminal:
      </p>
      <dl>
        <dt>drv api describe --description ${origin}${rest}</dt>
        <dd>every method, parameter and record</dd>
        <dt>drv api types --description ${origin}${rest}</dt>
        <dd>a client in TypeScript</dd>
      </dl>
      ${groups}`,
  })
}
