import type {ServiceResponse} from '#lib/service/http/message.js'
import {folderIcon, type Html, html} from '#lib/service/oauth/pages/html.js'
import {page} from '#lib/service/oauth/pages/layout.js'
import {MY_DRIVE_PATH, START_PATH} from '#lib/service/oauth/pages/paths.js'
import {WINDOW_STYLE} from '#lib/service/window/style.js'
import {OWN_ONLY} from '#lib/service/window/window-page.js'
import {INSPECT_PATH} from './sessions.js'
import {INSPECT_STYLE} from './style.js'

export const CONTROLS_PATH = `${INSPECT_PATH}/controls`

const MENU = [
  {path: INSPECT_PATH, name: 'Requests'},
  {path: CONTROLS_PATH, name: 'Clock and failures'},
] as const

/** The content of a page of the inspector. */
interface InspectContent {
  readonly title: string
  readonly body: Html
  readonly top?: Html
  readonly current?: (typeof MENU)[number]['path']
  readonly status?: number
  readonly script?: string
  readonly refresh?: number
}

/** Returns a page of the inspector, with its menu. */
export function inspectPage({current, ...content}: InspectContent): ServiceResponse {
  const items = MENU.map(
    ({path, name}) =>
      html`<a href="${path}" ${path === current && html` aria-current="page"`}>${name}</a>`,
  )
  return page({
    ...content,
    headers: OWN_ONLY,
    width: 'full',
    style: WINDOW_STYLE + INSPECT_STYLE,
    header: html`<a class="skip" href="#main">Skip to content</a>
      <header class="bar">
        <a class="brand" href="${START_PATH}">${folderIcon} Local drive</a>
        <nav aria-label="Inspector">${items} <a href="${MY_DRIVE_PATH}">Files</a></nav>
      </header>`,
    footer: html`Only the owner of the data directory can see these pages. Times are in UTC.`,
  })
}
