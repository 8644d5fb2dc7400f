import {randomUUID} from 'node:crypto'
import {joinParts, LONGEST_ENTRY, partAccounts, splitSecret} from './parts.js'

/** What is asked of the keychain of the system, and how its library is asked. */

export type Question =
  | {readonly ask: 'get' | 'delete' | 'try'; readonly service: string; readonly account: string}
  | {
      readonly ask: 'set'
      readonly service: string
      readonly account: string
      readonly password: string
    }

/** What is used of `@napi-rs/keyring`. */
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

// The default of the library falls back to the kernel's keyring, which forgets at the next start.
const PINNED = {linux: {store: 'secret-service'}} as const

/**
 * Asks the library, which blocks, and fails with its errors. Waits for `mayWrite` before it writes what it removes again.
 * Where an entry holds no more than `longest` characters, a longer secret is kept in several.
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
      // First what changes nothing: most keychains that do not answer are found out by it.
      vault.entry(account).getPassword()
      await mayWrite()
      return tryOut(vault, `trial of ${account} ${randomUUID()}`)
  }
}

type Vault = ReturnType<typeof createVault>

/** The entries of a service, of which some hold a secret together. */
function createVault(service: string, library: Keyring, longest: number) {
  const entry = (account: string) => new library.Entry(service, account, PINNED)
  const accountsOf = (account: string, head: string | null) => partAccounts(account, head) ?? []

  function get(account: string): string | null {
    const head = entry(account).getPassword() ?? null
    const accounts = partAccounts(account, head)
    if (head === null || !accounts) return head
    const parts = accounts.map(part => entry(part).getPassword() ?? null)
    // One that was being deleted is gone.
    return joinParts(head, parts) ?? null
  }

  function set(account: string, secret: string): void {
    // Whoever never splits has nothing to clear away.
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

/** As long as the longest tokens of common services: who takes it takes theirs. */
const TRIAL = 'no secret '.repeat(410)

/** Keeps something that is no secret, and takes it away again. */
function tryOut(vault: Vault, account: string): void {
  try {
    vault.set(account, TRIAL)
    if (vault.get(account) !== TRIAL) throw new Error('it loses what it is given')
  } catch (error) {
    try {
      vault.delete(account)
    } catch {
      // What went wrong first is told.
    }
    throw error
  }
  vault.delete(account)
}
