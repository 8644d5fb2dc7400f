import {description} from '#lib/api/description/index.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import type {RequestLog} from '#lib/service/request-log/request-log.js'
import {nameText, timeHtml} from '#lib/service/window/format.js'
import {itemPath, pathWithQuery} from '#lib/service/window/paths.js'
import {inspectPage} from './inspect-page.js'
import {entriesAfter, requestPath} from './requests-page.js'
import {INSPECT_PATH} from './sessions.js'

/** Returns the page with everything that is recorded about one request. */
export function requestPage(requestLog: RequestLog, number: number): ServiceResponse {
  const {entries, position} = entriesAfter(requestLog, 0)
  const found = entries.find(one => one.number === number)
  const top = html`<nav aria-label="Path" class="path">
    <ol class="trail">
      <li><a href="${INSPECT_PATH}">Requests</a></li>
    </ol>
  </nav>`
  if (!found) {
    return inspectPage({
      title: 'Request not found',
      top,
      status: 404,
      body: html`<p role="alert">
        Request ${number} is not recorded. The service keeps the last 10,000 requests.
      </p>`,
    })
  }
  const {time, method, path, operation, continues, user, app, scopes, ...rest} = found.entry
  const {status, reason, milliseconds, fault, item} = rest
  const called = operation ?? continues
  const docs = new URL(description.documentationLink!).pathname
  const facts: ReadonlyArray<readonly [string, Html | string | undefined]> = [
    ['Time', timeHtml(new Date(time).toISOString(), true)],
    ['Method', method],
    ['Path', html`<code>${nameText(path)}</code>`],
    [
      continues === undefined ? 'Operation' : 'Continues the upload of',
      called && html`<a href="${docs}#${description.name}.${called}">${called}</a>`,
    ],
    ['User', user],
    ['App', app && nameText(app)],
    ['Scopes', scopes?.join(', ')],
    ['Status', html`${status}`],
    ['Reason', reason && nameText(reason)],
    ['Simulated failure', fault],
    ['Duration', `${milliseconds} ms`],
    [
      method === 'GET' ? 'Item' : 'Changed item',
      item && html`<a href="${itemPath(item)}">${nameText(item)}</a>`,
    ],
  ]
  const others = pathWithQuery(INSPECT_PATH, {operation: called})
  return inspectPage({
    title: `Request ${number}`,
    top,
    body: html`<dl class="facts">
        ${facts.map(
          ([name, value]) =>
            value &&
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
      <p class="soft">Tokens, queries, headers and bodies are not recorded.</p>
      <div class="buttons">
        ${number > 1 && html`<a class="button" href="${requestPath(number - 1)}">Previous</a>`}
        ${number < position && html`<a class="button" href="${requestPath(number + 1)}">Next</a>`}
        ${called && html`<a class="button" href="${others}">All ${called} requests</a>`}
      </div>`,
  })
}
