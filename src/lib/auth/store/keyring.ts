import {randomUUID} from 'node:crypto'
import {
  type Header,
  joinParts,
  LONGEST_ENTRY,
  parseHeader,
  partAccount,
  SLOTS,
  splitSecret,
} from './parts.js'

/** The requests to the keychain of the system, and the calls of its library. */

export type Question =
  | {readonly ask: 'get' | 'delete' | 'try'; readonly service: string; readonly account: string}
  | {
      readonly ask: 'set'
      readonly service: string
      readonly account: string
      readonly password: string
    }

/** The part of `@napi-rs/keyring` that drv uses. */
export interface Keyring {
  readonly Entry: new (
    service: string,
    account: string,
    options: {linux: {store: 'secret-service'}},
  ) => {
    getPassword(): string | null
    setPassword(password: string): void
    deletePassword(): boolean
  }
}

// By default, the library falls back to the kernel keyring, which is lost at the next boot.
const PINNED = {linux: {store: 'secret-service'}} as const

/**
 * Calls the library, which blocks, and throws its errors. Waits for `mayWrite` before it writes a trial secret. Secrets
 * longer than `longest` characters are split into several entries.
 */
export async function askLibrary(
  question: Question,
  library: Keyring,
  mayWrite: () => Promise<void> = async () => undefined,
  longest = process.platform === 'win32' ? LONGEST_ENTRY : Infinity,
): Promise<unknown> {
  const {service, account} = question
  const vault = createVault(service, library, longest)
  switch (question.ask) {
    case 'get':
      return vault.get(account)
    case 'set':
      return vault.set(account, question.password)
    case 'delete':
      return vault.delete(account)
    case 'try':
      // Reading first changes nothing, and detects most keychains that do not respond.
      vault.entry(account).getPassword()
      await mayWrite()
      return tryOut(vault, `trial of ${account} ${randomUUID()}`)
  }
}

type Vault = ReturnType<typeof createVault>

/** The parts of a secret. */
type PartsOf = Pick<Header, 'slot' | 'count'>

/** The entries of a service. A long secret spans several entries. */
function createVault(service: string, library: Keyring, longest: number) {
  const entry = (account: string) => new library.Entry(service, account, PINNED)
  const read = (account: string) => entry(account).getPassword() ?? null

  function get(account: string): string | null {
    const text = read(account)
    const header = parseHeader(text)
    if (!header) return text
    const {slot, count} = header
    const parts = Array.from({length: count}, (_, index) => read(partAccount(account, slot, index)))
    // `null` if another process is deleting the parts.
    return (
      joinParts(
        header,
        parts.map(part => part ?? ''),
      ) ?? null
    )
  }

  function set(account: string, secret: string): void {
    // Without splitting, there are no parts to delete.
    if (longest === Infinity) return entry(account).setPassword(secret)
    const before = parseHeader(read(account))
    if (secret.length <= longest) {
      entry(account).setPassword(secret)
      return clear(account, before)
    }
    const {slot, entry: header, parts} = splitSecret(secret, before)
    for (const [index, part] of parts.entries()) {
      entry(partAccount(account, slot, index)).setPassword(part)
    }
    entry(account).setPassword(header)
    clear(account, before, {slot, count: parts.length})
  }

  function remove(account: string): boolean {
    if (longest !== Infinity) clear(account, parseHeader(read(account)))
    return entry(account).deletePassword()
  }

  /**
   * Deletes all parts except those of `kept`: the parts of the old secret, whose header is `before`, and parts that a
   * killed process left behind. Deletes the last part first, so that leftover parts have no gaps.
   */
  function clear(account: string, before?: PartsOf, kept?: PartsOf): void {
    for (const slot of SLOTS) {
      const start = kept?.slot === slot ? kept.count : 0
      let end = Math.max(start, before?.slot === slot ? before.count : 0)
      while (read(partAccount(account, slot, end)) !== null) end++
      while (--end >= start) entry(partAccount(account, slot, end)).deletePassword()
    }
  }

  return {entry, get, set, delete: remove}
}

/** As long as the longest tokens of common services. */
const TRIAL = 'no secret '.repeat(410)

/** Stores a trial value, reads it back and deletes it. */
function tryOut(vault: Vault, account: string): void {
  try {
    vault.set(account, TRIAL)
    if (vault.get(account) !== TRIAL) throw new Error('the keychain does not return stored secrets')
  } catch (error) {
    try {
      vault.delete(account)
    } catch {
      // The first error is the one to report.
    }
    throw error
  }
  vault.delete(account)
}
