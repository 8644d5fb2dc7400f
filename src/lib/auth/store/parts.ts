import {hash} from 'node:crypto'

/** Splits secrets that are too long for one keychain entry. */

/** Maximum characters per entry on every keychain: Windows allows 2,560 bytes, at two bytes per character. */
export const LONGEST_ENTRY = 1200

/**
 * Where the parts of a secret are. A new secret takes the slot that the old one does not use: if the process is killed
 * before it writes the header, the old secret stays intact, and later calls know where leftover parts can be.
 */
export const SLOTS = ['a', 'b'] as const

type Slot = (typeof SLOTS)[number]

/** The header of a split secret, which is its entry. */
export interface Header {
  readonly slot: Slot
  /** The number of parts. */
  readonly count: number
  /** The start of the hash of the secret. */
  readonly digest: string
}

const HEADER = /^drv-parts:([ab]):(\d{1,3}):([\da-f]{16})$/

/** The header in an entry; `undefined` for an entry that is the secret itself. */
export function parseHeader(entry: string | null): Header | undefined {
  const [, slot, count, digest] = HEADER.exec(entry ?? '') ?? []
  if (slot === undefined || count === undefined || digest === undefined) return undefined
  return {slot: slot as Slot, count: Number(count), digest}
}

/** Splits a secret; `before` is the header of the secret that it replaces. */
export function splitSecret(
  secret: string,
  before: Header | undefined,
): {readonly slot: Slot; readonly entry: string; readonly parts: readonly string[]} {
  const slot = before?.slot === 'a' ? 'b' : 'a'
  const parts = secret.match(new RegExp(`[^]{1,${LONGEST_ENTRY}}`, 'g')) ?? []
  return {slot, entry: `drv-parts:${slot}:${parts.length}:${digestOf(secret)}`, parts}
}

/** Joins the parts of a secret; `undefined` if a part is missing or belongs to another secret. */
export function joinParts({digest}: Header, parts: readonly string[]): string | undefined {
  const secret = parts.join('')
  return digestOf(secret) === digest ? secret : undefined
}

/** The account of a part; `index` starts at 0. */
export function partAccount(account: string, slot: Slot, index: number): string {
  return `${account} part ${slot}${index + 1}`
}

function digestOf(secret: string): string {
  return hash('sha256', secret).slice(0, 16)
}
