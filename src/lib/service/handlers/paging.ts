import {createHash} from 'node:crypto'
import {invalidValue} from '#lib/service/errors.js'

/**
 * Page tokens: opaque to clients, and valid only with the parameters of the first page (reference:
 * protocols.md, section 6).
 */

/**
 * The first `size` rows of `found`, and a token for the next page if there are more rows.
 * `positionOf` returns the position of the last row. `binding` holds all parameters that determine
 * the list.
 */
export function pageOf<Row>(
  found: readonly Row[],
  size: number,
  binding: unknown,
  positionOf: (last: Row) => unknown,
): {readonly rows: readonly Row[]; readonly nextPageToken?: string} {
  const rows = found.slice(0, size)
  if (found.length <= size) return {rows}
  return {rows, nextPageToken: pageToken(binding, positionOf(rows.at(-1)!))}
}

/** A token for the page after `position`. */
export function pageToken(binding: unknown, position: unknown): string {
  return Buffer.from(JSON.stringify([fingerprint(binding), position])).toString('base64url')
}

/** The position in a token, `undefined` for the first page. Throws 400 for an invalid token or one with another binding. */
export function readPageToken(token: string | undefined, binding: unknown): unknown {
  if (token === undefined || token === '') return undefined
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(token, 'base64url').toString())
  } catch {
    throw invalidValue('pageToken')
  }
  if (!Array.isArray(parts) || parts.length !== 2 || parts[0] !== fingerprint(binding)) {
    throw invalidValue('pageToken')
  }
  return parts[1]
}

/** The fields of a list for the next page: its token, and the same request with this token. `{}` for the last page. */
export function nextPage(selfLink: string, nextPageToken: string | undefined) {
  if (nextPageToken === undefined) return {}
  const url = new URL(selfLink)
  url.searchParams.set('pageToken', nextPageToken)
  return {nextPageToken, nextLink: url.href}
}

function fingerprint(binding: unknown): string {
  return createHash('sha256').update(JSON.stringify(binding)).digest('base64url').slice(0, 12)
}
