import {type FileServiceError} from '#lib/service/errors.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {folderIcon, type Html, html} from '#lib/service/oauth/pages/html.js'
import {page, tokenField} from '#lib/service/oauth/pages/layout.js'
import {MY_DRIVE_PATH, signInAddress, START_PATH} from '#lib/service/oauth/pages/paths.js'
import type {SignedIn} from '#lib/service/oauth/pages/settings.js'
import {DRIVES_PATH, SEARCH_PATH, SHARED_PATH, TRASH_PATH} from './paths.js'
import {WINDOW_STYLE} from './style.js'

const PLACES = [
  {path: MY_DRIVE_PATH, name: 'My Drive'},
  {path: SHARED_PATH, name: 'Shared with me'},
  {path: DRIVES_PATH, name: 'Shared drives'},
  {path: TRASH_PATH, name: 'Trash'},
] as const

/** A place in the menu of the pages. */
export type WindowPlace = (typeof PLACES)[number]['path']

/** The content of a page about files. */
interface WindowContent {
  readonly title: string
  readonly body: Html
  /** Content above the title. */
  readonly top?: Html
  /** The place in the menu that the page belongs to. */
  readonly place?: WindowPlace
  /** The text of the search field. */
  readonly query?: string
  readonly status?: number
  readonly hasFrames?: boolean
}

/** Returns a page with the menu, the search field and the account. */
export function windowPage(
  {session, user, request}: SignedIn,
  {title, body, top, place, query, status, hasFrames}: WindowContent,
): ServiceResponse {
  const items = PLACES.map(
    ({path, name}) =>
      html`<a href="${path}" ${path === place && html` aria-current="page"`}>${name}</a>`,
  )
  const {pathname, search} = request.url
  return page({
    title,
    status,
    hasFrames,
    headers: {...session.headers, ...OWN_ONLY},
    width: 'full',
    style: WINDOW_STYLE,
    header: html`<a class="skip" href="#main">Skip to content</a>
      <header class="bar">
        <a class="brand" href="${START_PATH}">${folderIcon} Local drive</a>
        <nav aria-label="Places">${items}</nav>
        <form action="${SEARCH_PATH}" role="search">
          <label class="unseen" for="q">Search files</label>
          <input id="q" name="q" type="search" value="${query}" placeholder="Search files" />
          <button>Search</button>
        </form>
      </header>`,
    top,
    body,
    footer: html`<form method="post" action="/logout">
      ${tokenField(session.formToken)} Files of <strong>${user.login}</strong> (${user.email}).
      <a href="${signInAddress({return_to: pathname + search})}">Switch account</a> or
      <button class="link">sign out</button>. Times are in UTC.
    </form>`,
  })
}

/** Keeps pages of other origins from embedding a response. */
export const OWN_ONLY = {'Cross-Origin-Resource-Policy': 'same-origin'}

/** Returns the page for a refusal of the service, such as that for a file that does not exist. */
export function refusedPage(visitor: SignedIn, error: FileServiceError): ServiceResponse {
  return windowPage(visitor, {
    title: error.status === 404 ? 'Not found' : 'Not allowed',
    status: error.status,
    body: html`<p role="alert">${error.detail.message}</p>
      <p class="soft">
        You are signed in as ${visitor.user.login}. Another account may have access.
      </p>`,
  })
}
