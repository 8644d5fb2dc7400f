import type {ServiceRequest, ServiceResponse} from '#lib/service/http/message.js'
import {html} from '#lib/service/oauth/pages/html.js'
import {page} from '#lib/service/oauth/pages/layout.js'

/**
 * What the links of files and users lead a browser to. Anybody can look at it, so it tells nothing
 * of them: the local service has icons, but no viewer and no profiles.
 */

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

/** Answers the addresses that records give of icons, pictures, users and files; `undefined` for any other path. */
export function itemPageResponse({method, url}: ServiceRequest): ServiceResponse | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const icon = /^\/icons\/([a-z]+)\.svg$/.exec(url.pathname)?.[1]
  if (icon !== undefined && Object.hasOwn(ICONS, icon)) return svgResponse(ICONS[icon]!)
  if (/^\/avatars\/[^/]+\.svg$/.test(url.pathname)) return svgResponse(PERSON)
  if (/^\/users\/[^/]+$/.test(url.pathname)) return profilePage()
  const [, id, preview] = /^\/open\/([\w-]+)(\/preview)?$/.exec(url.pathname) ?? []
  return id === undefined ? undefined : openPage(id, preview !== undefined)
}

function svgResponse(path: string): ServiceResponse {
  return {
    status: 200,
    headers: {
      'Content-Type': 'image/svg+xml',
      'Cache-Control': 'public, max-age=86400',
      'X-Content-Type-Options': 'nosniff',
    },
    body:
      '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" fill="none" ' +
      `stroke="#5b6675" stroke-width="1.5" stroke-linejoin="round"><path d="${path}"/></svg>`,
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

function openPage(id: string, isFramed: boolean): ServiceResponse {
  return page({
    title: 'A file of the local service',
    isFramed,
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
