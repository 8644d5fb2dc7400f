import {randomUUID} from 'node:crypto'
import {joinParts, LONGEST_ENTRY, partAccounts, splitSecret} from './parts.js'

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

/** The entries of a service. A long secret spans several entries. */
function createVault(service: string, library: Keyring, longest: number) {
  const entry = (account: string) => new library.Entry(service, account, PINNED)
  const accountsOf = (account: string, head: string | null) => partAccounts(account, head) ?? []

  function get(account: string): string | null {
    const head = entry(account).getPassword() ?? null
    const accounts = partAccounts(account, head)
    if (head === null || !accounts) return head
    const parts = accounts.map(part => entry(part).getPassword() ?? null)
    // `null` if another process is deleting the parts.
    return joinParts(head, parts) ?? null
  }

  function set(account: string, secret: string): void {
    // Without splitting, there are no old parts to delete.
    const before =
      longest === Infinity ? [] : accountsOf(account, entry(account).getPassword() ?? null)
    const {header, parts} =
      secret.length > longest
        ? splitSecret(account, secret)
        : {header: secret, parts: new Map<string, string>()}
    for (const [part, text] of parts) entry(part).setPassword(text)
    entry(account).setPassword(header)
    for (const part of before) if (!parts.has(part)) entry(part).deletePassword()
  }

  function remove(account: string): boolean {
    const head = longest === Infinity ? null : (entry(account).getPassword() ?? null)
    for (const part of accountsOf(account, head)) entry(part).deletePassword()
    return entry(account).deletePassword()
  }

  return {entry, get, set, delete: remove}
}

/** As long as the longest tokens of common services. */
const TRIAL = 'no secret '.repeat(410)

/** Stores a trial value, reads it back and deletes it. */
function tryOut(vault: Vault, account: string): void {
  try {
    vault.set(account, TRIAL)
    if (vault.get(account) !== TRIAL) throw new Error('it does not return stored secrets')
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
