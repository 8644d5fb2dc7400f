import {operations} from '#lib/api/operations.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import type {RequestEntry, RequestLog} from '#lib/service/request-log/request-log.js'
import {nameText, timeHtml} from '#lib/service/window/format.js'
import {pathWithQuery} from '#lib/service/window/paths.js'
import {inspectPage} from './inspect-page.js'
import {LIVE_SCRIPT} from './live-script.js'
import {type EntryFilter, readFilter} from './request-filter.js'
import {INSPECT_PATH} from './sessions.js'

/** Requests on a page. */
const PAGE = 200

/** Seconds between two loads of the list without JavaScript. */
const REFRESH = 5

/** A request with its number, counted from 1 since the start of the service. */
export interface NumberedEntry {
  readonly number: number
  readonly entry: RequestEntry
}

/** Returns the recorded requests after a position, the oldest first. */
export function entriesAfter(
  requestLog: RequestLog,
  after: number,
): {readonly entries: readonly NumberedEntry[]; readonly position: number} {
  const {entries, position} = requestLog.after(after)
  const first = position - entries.length + 1
  return {entries: entries.map((entry, at) => ({number: first + at, entry})), position}
}

/** Returns the page with the newest requests. Unless it is paused, new ones appear at the top. */
export function requestsPage(requestLog: RequestLog, url: URL): ServiceResponse {
  const filter = readFilter(url.searchParams)
  const isPaused = url.searchParams.has('paused')
  const {entries, position} = entriesAfter(requestLog, 0)
  const shown = entries.filter(({entry}) => filter.isShown(entry)).reverse()
  const {values, problem} = filter
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  const toggle = pathWithQuery(INSPECT_PATH, {...given, ...(!isPaused && {paused: '1'})})
  return inspectPage({
    title: 'Requests',
    current: INSPECT_PATH,
    status: problem === undefined ? 200 : 400,
    ...(!isPaused && {script: LIVE_SCRIPT, refresh: REFRESH}),
    body: html`${problem !== undefined && html`<p class="bad" role="alert">${problem}</p>`}
      ${filterForm(filter)}
      <p class="soft">
        <span id="live" role="status">
          ${isPaused ? 'Paused.' : `New requests appear at the top.`}
        </span>
        <a href="${toggle}">${isPaused ? 'Resume' : 'Pause'}</a>
      </p>
      <table class="cards requests" role="table">
        <caption>
          ${shown.length > PAGE ? `The newest ${PAGE} of ${shown.length} requests` : `Newest first`}
        </caption>
        <thead role="rowgroup">
          <tr role="row">
            ${['Time', 'Status', 'Request', 'Operation', 'User', 'Duration'].map(
              name => html`<th role="columnheader" scope="col">${name}</th>`,
            )}
          </tr>
        </thead>
        <tbody role="rowgroup" data-position="${position}" data-limit="${PAGE}">
          ${shown.slice(0, PAGE).map(requestRowHtml)}
        </tbody>
      </table>
      ${shown.length === 0 && html`<p class="note" id="none">No requests.</p>`}`,
  })
}

/** Shows a request as a row of the table. */
export function requestRowHtml({number, entry}: NumberedEntry): Html {
  const {time, status, reason, method, path, operation, continues, user, milliseconds, fault} =
    entry
  const isRefused = status >= 400
  return html`<tr role="row">
    <td role="cell">
      <a href="${requestPath(number)}" aria-label="Request ${number}"
        >${timeHtml(new Date(time).toISOString(), true)}</a
      >
    </td>
    <td role="cell" class="status${isRefused && ' refused'}">
      ${status}${fault !== undefined && html` <span class="tag warn">${fault}</span>`}${
        reason !== undefined && html` <small>${nameText(reason)}</small>`
      }
    </td>
    <td role="cell"><code>${method} ${nameText(path)}</code></td>
    <td role="cell">${operation ?? (continues && `${continues} (upload)`)}</td>
    <td role="cell">${user}</td>
    <td role="cell">${milliseconds} ms</td>
  </tr>`
}

/** Returns the path of the page of one request. */
export function requestPath(number: number): string {
  return `${INSPECT_PATH}/requests/${number}`
}

function filterForm({values}: EntryFilter): Html {
  const field = (name: keyof typeof values, label: string, example: string, list?: string) =>
    html`<div>
      <label for="${name}">${label}</label>
      <input
        id="${name}"
        name="${name}"
        value="${values[name]}"
        placeholder="${example}"
        autocapitalize="none"
        spellcheck="false"
        ${list && html`list="${list}"`}
      />
    </div>`
  return html`<form
    class="filter"
    action="${INSPECT_PATH}"
    role="search"
    aria-label="Filter requests"
  >
    ${field('operation', 'Operation', 'files.*', 'operations')} ${field('status', 'Status', '4xx')}
    ${field('path', 'Path contains', '/upload/')} ${field('user', 'User', 'local')}
    <datalist id="operations">
      ${operations.map(({operationId}) => html`<option value="${operationId}"></option>`)}
    </datalist>
    <div class="buttons">
      <button class="main">Filter</button>
      <a class="button" href="${INSPECT_PATH}">Show all</a>
    </div>
  </form>`
}
