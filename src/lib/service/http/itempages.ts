import {FOLDER_TYPE, SHORTCUT_TYPE} from '../../api/wire.js'
import {DOCUMENT_TYPE, SPREADSHEET_TYPE} from '../content/types.js'
import {html} from '../oauth/pages/html.js'
import {page} from '../oauth/pages/layout.js'
import type {ServiceRequest, ServiceResponse} from './message.js'

/**
 * What the links of a File lead a browser to. Anybody can look at it, so it tells nothing of the
 * file: the local service has icons, but no viewer.
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

const ICON_NAMES: Readonly<Record<string, string>> = {
  [FOLDER_TYPE]: 'folder',
  [SHORTCUT_TYPE]: 'shortcut',
  [DOCUMENT_TYPE]: 'document',
  [SPREADSHEET_TYPE]: 'spreadsheet',
}

/** The address of the icon for files of a type. */
export function iconLink(origin: string, mimeType: string): string {
  const name = ICON_NAMES[mimeType] ?? (mimeType.startsWith('image/') ? 'image' : 'file')
  return `${origin}/icons/${name}.svg`
}

/** The address that stands for a file in a browser. */
export function alternateLink(origin: string, fileId: string): string {
  return `${origin}/open/${encodeURIComponent(fileId)}`
}

/** Answers the addresses that `iconLink` and `alternateLink` make; `undefined` for any other path. */
export function itemPageResponse({method, url}: ServiceRequest): ServiceResponse | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const icon = /^\/icons\/([a-z]+)\.svg$/.exec(url.pathname)?.[1]
  if (icon !== undefined && Object.hasOwn(ICONS, icon)) return svgResponse(ICONS[icon]!)
  const id = /^\/open\/([\w-]+)$/.exec(url.pathname)?.[1]
  return id === undefined ? undefined : openPage(id)
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

function openPage(id: string): ServiceResponse {
  return page({
    title: 'A file of the local service',
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
