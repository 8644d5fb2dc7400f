import {parseUrl} from '#lib/api/parse-url.js'
/** Whether a word is a link rather than a path or an ID. */
export function isLink(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

/** What stands in front of an ID in the path of a link: `/file/d/ID/view`, `/drive/u/0/folders/ID`. */
const BEFORE_ID = /\/(?:d|folders|files|open)\/([^/]+)/

/**
 * The ID in a link to a file or folder: the service's own `alternateLink` and `selfLink`, and what
 * browsers show. The host does not matter, since nothing is sent there. `undefined` for a link
 * without one.
 */
export function idInLink(link: string): string | undefined {
  const url = parseUrl(link)
  if (!url) return undefined
  const {pathname, searchParams} = url
  const id = BEFORE_ID.exec(pathname)?.[1] ?? searchParams.get('id')
  return id !== null && id !== undefined && /^[\w-]+$/.test(id) ? id : undefined
}
