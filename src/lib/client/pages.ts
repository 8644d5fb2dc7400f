import {FieldsError, parseFields} from '#lib/api/fields.js'
import {isObject} from '#lib/api/validate.js'
import type {Client, Page, ParameterTexts} from './client.js'
import {ProtocolError} from './errors.js'

/** Pages without a record in a row after which a list is taken to be endless. */
const EMPTY_PAGES = 100

/**
 * The pages of a list, each fetched when it is asked for, until there is no `nextPageToken`; an empty page is no end
 * (reference: protocols.md, section 6). Throws `ProtocolError` for a token that is none or came before, and after
 * `EMPTY_PAGES` pages in a row without a record: the list would never end.
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
        'The service gave the same page of the list twice, so the list would never end. Try again later.',
      )
    }
    seen.add(token)
    empty = hasRecords(page) ? 0 : empty + 1
    if (empty === EMPTY_PAGES) {
      throw new ProtocolError(
        `The service gave ${EMPTY_PAGES} pages of the list in a row without any entry, so the list may never end. Try again later.`,
      )
    }
    next = {...next, pageToken: token}
  }
}

/** Whether a page has a list that is not empty, whatever its name is in the description. */
function hasRecords(page: Page): boolean {
  return Object.values(page).some(value => Array.isArray(value) && value.length > 0)
}

/** The token of the page after this one, '' for the last; some services count with plain numbers. */
function tokenOf({nextPageToken: token}: Page): string {
  const text = token ?? ''
  if (typeof text === 'string' || typeof text === 'number') return String(text)
  throw new ProtocolError('The service gave something else than a token for the next page.')
}

/** The records of all pages of a list. Throws as `eachPage` and `recordsOf` do. */
export async function allRecords(
  client: Pick<Client, 'pages'>,
  ...list: Parameters<Client['pages']>
): Promise<Page[]> {
  const records: Page[] = []
  for await (const page of client.pages(...list)) records.push(...recordsOf(page))
  return records
}

/** The records of a page, where one that has none may leave them out. Throws `ProtocolError`. */
export function recordsOf({items}: Page): Page[] {
  const records = items ?? []
  if (Array.isArray(records) && records.every(isObject)) return records
  throw new ProtocolError('The service gave something else than records in a list.')
}

/** The parameters, with `nextPageToken` added to a `fields` selection that would drop it. */
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
    // The service says what is wrong with it.
    if (error instanceof FieldsError) return true
    throw error
  }
}
