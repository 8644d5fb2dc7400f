import {hash} from 'node:crypto'

/** Secrets that are longer than an entry of the keychain may be, in several entries. */

/** Characters that every keychain takes in one entry: Windows takes 2,560 bytes, two for each character. */
export const LONGEST_ENTRY = 1200

/** What stands in the first entry of a secret in parts: how many, and the name that their entries share. */
const HEADER = /^drv-parts:(\d{1,3}):([\da-f]{16})$/

export interface Parts {
  readonly header: string
  /** By the account of their entries. */
  readonly parts: ReadonlyMap<string, string>
}

/**
 * A secret of `account` in parts. Their accounts have a name of their own for each secret, so that the entry of the header
 * alone decides which secret counts: a process that is killed meanwhile leaves the old one whole.
 */
export function splitSecret(account: string, secret: string): Parts {
  const name = hash('sha256', secret).slice(0, 16)
  const texts = secret.match(new RegExp(`[^]{1,${LONGEST_ENTRY}}`, 'g')) ?? []
  return {
    header: `drv-parts:${texts.length}:${name}`,
    parts: new Map(texts.map((text, index) => [partAccount(account, index, name), text])),
  }
}

/** The accounts of the parts that a header tells of; `undefined` for an entry that is the secret itself. */
export function partAccounts(account: string, entry: string | null): string[] | undefined {
  const [, count, name] = HEADER.exec(entry ?? '') ?? []
  if (count === undefined || name === undefined) return undefined
  return Array.from({length: Number(count)}, (_, index) => partAccount(account, index, name))
}

/** The secret that parts make up; `undefined` where one is missing or another's. */
export function joinParts(entry: string, parts: ReadonlyArray<string | null>): string | undefined {
  const secret = parts.map(part => part ?? '').join('')
  return hash('sha256', secret).slice(0, 16) === HEADER.exec(entry)?.[2] ? secret : undefined
}

function partAccount(account: string, index: number, name: string): string {
  return `${account} part ${index + 1} ${name}`
}
