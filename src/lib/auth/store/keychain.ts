import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {Question} from './keyring.js'
import type {CredentialStore} from './store.js'

const ALTERNATIVES =
  'To keep the token in a file instead, sign in with --insecure-storage; or set DRV_TOKEN.'

/**
 * The keychain of the system: Keychain, Credential Manager or Secret Service. Each call uses a
 * fresh handle, and is given up where the keychain does not answer.
 */
export function keychainStore(
  ask: (question: Question) => Promise<unknown> = async question =>
    (await import('./ask.js')).askKeychain(question),
): CredentialStore {
  const put = async <T>(question: Question): Promise<T> => {
    try {
      return (await ask(question)) as T
    } catch (error) {
      throw keychainError(error)
    }
  }
  return {
    getPassword: (service, account) => put({ask: 'get', service, account}),
    setPassword: (service, account, password) => put({ask: 'set', service, account, password}),
    deletePassword: (service, account) => put({ask: 'delete', service, account}),
    tryOut: (service, account) => put({ask: 'try', service, account}),
  }
}

/** What the libraries say, and what that means to a person; the first that fits counts. */
const SENTENCES: ReadonlyArray<readonly [words: RegExp, sentence: string]> = [
  [
    /did not receive a reply|timed? ?out/i,
    'The keychain does not answer. If it asked for a password, unlock it first, then try again.',
  ],
  [
    // The Secret Service says the same of a prompt that somebody closed and of one that it could not show.
    /prompt was dismissed/i,
    'The keychain is locked, and its prompt was closed or could not be shown. Unlock it, then try again.',
  ],
  [
    /dismissed|denied|cancell?ed|not allowed|authorization|interaction/i,
    'The keychain refused access. Allow drv to use it, then try again.',
  ],
  [/\blocked\b/i, 'The keychain is locked. Unlock it, then try again.'],
  [
    /utf-?8|encoding|format|mime|decrypt|ambiguous|unpad|crypto/i,
    'What the keychain holds for drv cannot be read. Run `drv auth logout`, then sign in again.',
  ],
  [
    /no result found/i,
    'The keychain has no collection that is open to keep secrets in. Make or unlock one with its own program, then try again.',
  ],
  [/too long/i, 'The token is too long for this keychain.'],
  [
    /dbus/i,
    'There is no keychain that works here: no session of D-Bus is there, as on a server or in a container.',
  ],
]

/** The one sentence for what a keychain said; the library tells its errors apart by words alone. */
export function keychainError(error: unknown): SetupError {
  const words = error instanceof Error ? error.message : String(error)
  const known = SENTENCES.find(([pattern]) => pattern.test(words))
  const sentence = known?.[1] ?? `There is no keychain that works here (${printable(words, 160)}).`
  return new SetupError('keychain', `${sentence} ${ALTERNATIVES}`, {cause: error})
}

/** What the keychain of this system is called. */
export function keychainName(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'macOS Keychain'
  return platform === 'win32' ? 'Windows Credential Manager' : 'Secret Service'
}
