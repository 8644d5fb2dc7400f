import {FieldsError, parseFields} from '#lib/api/fields.js'
import {isObject} from '#lib/api/validate.js'
import type {Client, Page, ParameterTexts} from './client.js'
import {ProtocolError} from './errors.js'

/** Number of consecutive empty pages after which a list counts as endless. */
const EMPTY_PAGES = 100

/**
 * The pages of a list, each fetched on demand, until one has no `nextPageToken`; an empty page does not end the list
 * (reference: protocols.md, section 6). Throws `ProtocolError` for an invalid or repeated token, and after
 * `EMPTY_PAGES` consecutive empty pages.
 */
export async function* eachPage(
  fetch: (params: ParameterTexts) => Promise<Page | undefined>,
  params: ParameterTexts,
): AsyncGenerator<Page> {
  const seen = new Set<string>([params.pageToken ?? []].flat())
  let next = withPageToken(params)
  let empty = 0
  for (;;) {
    const page = (await fetch(next)) ?? {}
    yield page
    const token = tokenOf(page)
    if (token === '') return
    if (seen.has(token)) {
      throw new ProtocolError(
        'The service returned the same page of the list twice, so the list would never end. Try again later.',
      )
    }
    seen.add(token)
    empty = hasRecords(page) ? 0 : empty + 1
    if (empty === EMPTY_PAGES) {
      throw new ProtocolError(
        `The service returned ${EMPTY_PAGES} empty pages of the list in a row, so the list may never end. Try again later.`,
      )
    }
    next = {...next, pageToken: token}
  }
}

/** Whether a page has a non-empty list under any name. */
function hasRecords(page: Page): boolean {
  return Object.values(page).some(value => Array.isArray(value) && value.length > 0)
}

/** The token of the next page, '' for the last page. Some services use numbers. */
function tokenOf({nextPageToken: token}: Page): string {
  const text = token ?? ''
  if (typeof text === 'string' || typeof text === 'number') return String(text)
  throw new ProtocolError('The service returned an invalid page token.')
}

/** The records of all pages of a list. Throws what `eachPage` and `recordsOf` throw. */
export async function allRecords(
  client: Pick<Client, 'pages'>,
  ...list: Parameters<Client['pages']>
): Promise<Page[]> {
  const records: Page[] = []
  for await (const page of client.pages(...list)) records.push(...recordsOf(page))
  return records
}

/** The records of a page; none if the page has no `items`. Throws `ProtocolError`. */
export function recordsOf({items}: Page): Page[] {
  const records = items ?? []
  if (Array.isArray(records) && records.every(isObject)) return records
  throw new ProtocolError('The service returned a list with invalid records.')
}

/** The parameters, with `nextPageToken` added to a `fields` selection that lacks it. */
function withPageToken(params: ParameterTexts): ParameterTexts {
  const {fields} = params
  if (typeof fields !== 'string' || keepsPageToken(fields)) return params
  return {...params, fields: `${fields},nextPageToken`}
}

function keepsPageToken(fields: string): boolean {
  try {
    const selection = parseFields(fields)
    return Object.hasOwn(selection, 'nextPageToken') || Object.hasOwn(selection, '*')
  } catch (error) {
    // The service reports the syntax error.
    if (error instanceof FieldsError) return true
    throw error
  }
}
