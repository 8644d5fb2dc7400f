import {hash} from 'node:crypto'

/** Splits secrets that are too long for one keychain entry. */

/** Maximum characters per entry on every keychain: Windows allows 2,560 bytes, at two bytes per character. */
export const LONGEST_ENTRY = 1200

/** The header entry of a split secret: the number of parts, and the name that their entries share. */
const HEADER = /^drv-parts:(\d{1,3}):([\da-f]{16})$/

export interface Parts {
  readonly header: string
  /** By account of the entry. */
  readonly parts: ReadonlyMap<string, string>
}

/**
 * Splits a secret of `account`. The parts of each secret have their own accounts, and the header selects the secret: if
 * the process is killed before it writes the header, the old secret stays intact.
 */
export function splitSecret(account: string, secret: string): Parts {
  const name = hash('sha256', secret).slice(0, 16)
  const texts = secret.match(new RegExp(`[^]{1,${LONGEST_ENTRY}}`, 'g')) ?? []
  return {
    header: `drv-parts:${texts.length}:${name}`,
    parts: new Map(texts.map((text, index) => [partAccount(account, index, name), text])),
  }
}

/** The accounts of the parts that a header lists; `undefined` for an entry that is the secret itself. */
export function partAccounts(account: string, entry: string | null): string[] | undefined {
  const [, count, name] = HEADER.exec(entry ?? '') ?? []
  if (count === undefined || name === undefined) return undefined
  return Array.from({length: Number(count)}, (_, index) => partAccount(account, index, name))
}

/** Joins the parts of a secret; `undefined` if a part is missing or belongs to another secret. */
export function joinParts(entry: string, parts: ReadonlyArray<string | null>): string | undefined {
  const secret = parts.map(part => part ?? '').join('')
  return hash('sha256', secret).slice(0, 16) === HEADER.exec(entry)?.[2] ? secret : undefined
}

function partAccount(account: string, index: number, name: string): string {
  return `${account} part ${index + 1} ${name}`
}
