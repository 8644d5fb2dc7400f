import {createHash} from 'node:crypto'
import {invalidValue} from './errors.js'

/**
 * Page tokens: opaque to callers, bound to what the first page was asked for, so that a token
 * goes on with the same question only (reference: protocols.md, section 6).
 */

/** A token for the page behind `position`; `binding` is everything that shapes the list. */
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

/** The address of the next page: the same question with its token. */
export function nextLink(selfLink: string, token: string): string {
  const url = new URL(selfLink)
  url.searchParams.set('pageToken', token)
  return url.href
}

function fingerprint(binding: unknown): string {
  return createHash('sha256').update(JSON.stringify(binding)).digest('base64url').slice(0, 12)
}
