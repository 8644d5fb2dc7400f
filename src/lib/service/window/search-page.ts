import {FileServiceError} from '#lib/service/errors.js'
import type {ServiceResponse} from '#lib/service/http/message.js'
import {type Html, html} from '#lib/service/oauth/pages/html.js'
import {fileList} from './file-list.js'
import {pathWithQuery, SEARCH_PATH} from './paths.js'
import type {Visitor} from './visitor.js'
import {windowPage} from './window-page.js'

/**
 * Returns the page of search results. A text in the query language, such as `title contains 'plan'`, is
 * a query; other text is searched for in names and contents.
 */
export async function searchPage(visitor: Visitor): Promise<ServiceResponse> {
  const query = visitor.request.url.searchParams.get('q')?.trim() ?? ''
  const {status, body} = await results(visitor, query)
  return windowPage(visitor, {title: 'Search', query, status, body: html`${body}${hints}`})
}

async function results(visitor: Visitor, query: string): Promise<{status: number; body: Html}> {
  if (query === '') {
    return {status: 200, body: html`<p class="note">Enter words or a query.</p>`}
  }
  const isQuery = isQueryText(query)
  const q = isQuery
    ? query
    : `fullText contains '${query.replace(/[\\']/g, '\\$&')}' and trashed = false`
  try {
    const body = await fileList(visitor, {
      search: {q, corpora: 'allDrives'},
      isRanked: /\bfullText\b/.test(q),
      empty: 'No items match this search.',
    })
    return {status: 200, body}
  } catch (error) {
    if (!(error instanceof FileServiceError && error.status === 400)) throw error
    return {
      status: 400,
      body: html`<p class="bad" role="alert">Invalid query: ${error.detail.message}</p>`,
    }
  }
}

/** Whether a text is meant as a query: it has an operator of the query language, or is one of its words without one. */
function isQueryText(text: string): boolean {
  return (
    /\s(?:contains|in|has)\s|[!<>=]/.test(text) ||
    /^(?:not\s+)?(?:sharedWithMe|starred)$/.test(text)
  )
}

const EXAMPLES = [
  ["title contains 'plan'", 'items whose name contains a word'],
  ["mimeType = 'application/pdf'", 'files with this media type'],
  ["modifiedDate > '2026-01-01T00:00:00'", 'items modified after this time'],
  ["'me' in owners and trashed = false", 'your items'],
] as const

const hints = html`<h2>Query language</h2>
  <p class="soft">
    Words are searched for in names and contents. Queries use the syntax of the parameter
    <code>q</code> of files.list:
  </p>
  <dl>
    ${EXAMPLES.map(
      ([query, text]) =>
        html`<dt><a href="${pathWithQuery(SEARCH_PATH, {q: query})}">${query}</a></dt>
          <dd>${text}</dd>`,
    )}
  </dl>`
