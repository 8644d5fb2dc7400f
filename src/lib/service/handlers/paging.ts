import {createHash} from 'node:crypto'
import {invalidValue} from '#lib/service/errors.js'

/**
 * Page tokens: opaque to callers, bound to what the first page was asked for, so that a token
 * goes on with the same question only (reference: protocols.md, section 6).
 */

/**
 * The first `size` of the rows that were found, and the token for the page behind the last of them,
 * whose position `positionOf` says, where there is one. `binding` is everything that shapes the list.
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

/** A token for the page behind `position`. */
export function pageToken(binding: unknown, position: unknown): string {
  return Buffer.from(JSON.stringify([fingerprint(binding), position])).toString('base64url')
}

/** The position in a token, or `undefined` for the first page; 400 at `pageToken` for any other token. */
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

/** What a list says of the next page, where there is one: its token, and the same question with it. */
export function nextPage(selfLink: string, nextPageToken: string | undefined) {
  if (nextPageToken === undefined) return {}
  const url = new URL(selfLink)
  url.searchParams.set('pageToken', nextPageToken)
  return {nextPageToken, nextLink: url.href}
}

function fingerprint(binding: unknown): string {
  return createHash('sha256').update(JSON.stringify(binding)).digest('base64url').slice(0, 12)
}
