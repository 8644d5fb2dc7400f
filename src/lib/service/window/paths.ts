/** The paths of the pages that show files, besides `MY_DRIVE_PATH`. */

export const SHARED_PATH = '/shared-with-me'
export const DRIVES_PATH = '/shared-drives'
export const TRASH_PATH = '/trash'
export const SEARCH_PATH = '/search'

/** The paths of the pages of one item: `/open/ID`, `/open/ID/details`. */
export const ITEM_PATTERN = /^\/open\/([\w-]+)(?:\/(details|preview|content|download|thumbnail))?$/

/** The paths of content that programs can also read with a token. */
export const CONTENT_PATTERN = /^\/open\/([\w-]+)\/(?:download|thumbnail)$/

/** A page or a resource of one item; `page` is the listing of a folder, or the details of a file. */
export type ItemView = 'page' | 'details' | 'preview' | 'content' | 'download' | 'thumbnail'

/** Returns the path of an item. */
export function itemPath(id: string, view: ItemView = 'page'): string {
  return `/open/${encodeURIComponent(id)}${view === 'page' ? '' : `/${view}`}`
}

/** Returns a path with query parameters; `undefined` ones are left out. */
export function pathWithQuery(
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given as Array<[string, string]>).toString()
  return query === '' ? path : `${path}?${query}`
}
