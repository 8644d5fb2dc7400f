import {FOLDER_TYPE} from '#lib/api/wire.js'
import {fileIcon, folderIcon, type Html, html} from '#lib/service/oauth/pages/html.js'
import {countText, fileSizeText, nameHtml, timeHtml, typeText} from './format.js'
import {itemPath, pathWithQuery} from './paths.js'
import type {FileItem, RecordPage} from './records.js'
import {dataTable} from './table.js'
import {runRead, type Visitor} from './visitor.js'

/** Lists of files as sortable tables, page by page. */

/** Items on a page. */
const PAGE = 100

/** The columns that lists are sorted by, each with `orderBy` of files.list. */
const ORDERS = {
  name: 'title_natural',
  size: 'quotaBytesUsed',
  modified: 'modifiedDate',
} as const

type OrderColumn = keyof typeof ORDERS

/** How a list is sorted: a column, and `-` before it for the reverse order. */
interface ListOrder {
  readonly column: OrderColumn
  readonly isReverse: boolean
}

const BY_NAME: ListOrder = {column: 'name', isReverse: false}

/** A search whose results a page shows. */
interface FileListing {
  /** The parameters of files.list, without order and page. */
  readonly search: Readonly<Record<string, string>>
  /** The date to show; default: when the item was modified. */
  readonly date?: {readonly name: string; of(item: FileItem): string | undefined}
  /** Whether the results have an order that cannot be changed. */
  readonly isRanked?: boolean
  /** The sentence for a search without results. */
  readonly empty: string
}

/** Returns the table with a page of files, and the link to the next page. Throws `FileServiceError` for an invalid search. */
export async function fileList(visitor: Visitor, listing: FileListing): Promise<Html> {
  const {url} = visitor.request
  const order = readOrder(url.searchParams.get('sort'))
  const pageToken = url.searchParams.get('page') ?? undefined
  const {items, nextPageToken} = await runRead<RecordPage<FileItem>>(visitor, 'files.list', {
    maxResults: String(PAGE),
    includeItemsFromAllDrives: 'true',
    ...(!listing.isRanked && {orderBy: orderBy(order)}),
    ...(pageToken && {pageToken}),
    ...listing.search,
  })
  if (items.length === 0 && !pageToken) return html`<p class="note">${listing.empty}</p>`
  const link = (changes: Readonly<Record<string, string | undefined>>) =>
    pathWithQuery(url.pathname, {
      q: url.searchParams.get('q') ?? undefined,
      sort: url.searchParams.get('sort') ?? undefined,
      ...changes,
    })
  const heading = (name: string, column: OrderColumn) => {
    const isCurrent = column === order.column
    const isReverse = isCurrent ? !order.isReverse : column !== 'name'
    const direction = order.isReverse ? ('descending' as const) : ('ascending' as const)
    return {
      name,
      isNumber: column === 'size',
      ...(!listing.isRanked && {
        sort: {
          link: link({sort: `${isReverse ? '-' : ''}${column}`}),
          ...(isCurrent && {direction}),
        },
      }),
    }
  }
  const {date} = listing
  const more = nextPageToken ? ' on this page' : ''
  return html`${dataTable(
    `${countText(items.length, 'item')}${more}`,
    [
      heading('Name', 'name'),
      {name: 'Type'},
      heading('Size', 'size'),
      date ? {name: date.name} : heading('Modified', 'modified'),
    ],
    items.map(item => [
      entryLink(item),
      html`<span class="type">${typeText(item.mimeType)}</span>`,
      fileSizeText(item),
      timeHtml(date ? date.of(item) : item.modifiedDate),
    ]),
    true,
  )}
  ${
    (nextPageToken || pageToken) &&
    html`<div class="buttons">
      ${pageToken && html`<a class="button" href="${link({})}">First page</a>`}
      ${nextPageToken && html`<a class="button" href="${link({page: nextPageToken})}">Next page</a>`}
    </div>`
  }`
}

/** Shows an item as a link with its icon. */
export function entryLink({
  id,
  title,
  mimeType,
}: Pick<FileItem, 'id' | 'title' | 'mimeType'>): Html {
  const isFolder = mimeType === FOLDER_TYPE
  return html`<a class="entry${isFolder && ' folder'}" href="${itemPath(id)}"
    >${isFolder ? folderIcon : fileIcon}${nameHtml(title)}</a
  >`
}

function readOrder(text: string | null): ListOrder {
  const [, reverse, column = ''] = /^(-?)(\w+)$/.exec(text ?? '') ?? []
  if (!Object.hasOwn(ORDERS, column)) return BY_NAME
  return {column: column as OrderColumn, isReverse: reverse === '-'}
}

/** Folders come first in a list by name, as in file managers. */
function orderBy({column, isReverse}: ListOrder): string {
  const key = `${ORDERS[column]}${isReverse ? ' desc' : ''}`
  return column === 'name' ? `folder,${key}` : `${key},title_natural`
}
