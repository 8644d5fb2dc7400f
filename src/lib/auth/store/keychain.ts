import {printable} from '../../api/text.js'
import {SetupError} from '../../config/errors.js'
import {isBusSilent} from './bus.js'
import type {CredentialStore} from './store.js'

/** What is used of `@napi-rs/keyring`. */
export interface Keyring {
  readonly AsyncEntry: new (
    service: string,
    account: string,
    options: {linux: {store: 'secret-service'}},
  ) => {
    getPassword(signal?: AbortSignal): Promise<string | null | undefined>
    setPassword(password: string, signal?: AbortSignal): Promise<void>
    deletePassword(signal?: AbortSignal): Promise<boolean>
  }
  readonly findCredentialsAsync: (
    service: string,
    target?: string | null,
    signal?: AbortSignal,
  ) => Promise<Array<{account: string; password: string}>>
}

// The default of the library falls back to the kernel's keyring, which forgets at the next start.
const PINNED = {linux: {store: 'secret-service'}} as const

/** A keychain that does not answer must not hold a command for ever. */
const LIMIT = 3000

const WAY_OUT =
  'To keep the token in a file instead, run `drv auth login --insecure-storage`; or set DRV_TOKEN.'

/**
 * The keychain of the system: Keychain, Credential Manager or Secret Service. Each call uses a
 * fresh handle and gives up after `limit` milliseconds.
 */
export function keychainStore(
  load: () => Promise<Keyring> = () => import('@napi-rs/keyring'),
  limit = LIMIT,
  isSilent = (within: number) => isBusSilent(process.env, within),
): CredentialStore {
  const use = async <T>(work: (keyring: Keyring, signal: AbortSignal) => Promise<T>) => {
    const keyring = await load().catch((error: unknown) => {
      throw keychainError(error)
    })
    if (process.platform === 'linux' && (await isSilent(limit))) throw late(limit)
    return within(limit, signal => work(keyring, signal))
  }
  return {
    getPassword: (service, account) =>
      use(async ({AsyncEntry}, signal) => {
        const password = await new AsyncEntry(service, account, PINNED).getPassword(signal)
        return password ?? null
      }),
    setPassword: (service, account, password) =>
      use(({AsyncEntry}, signal) =>
        new AsyncEntry(service, account, PINNED).setPassword(password, signal),
      ),
    deletePassword: (service, account) =>
      use(({AsyncEntry}, signal) =>
        new AsyncEntry(service, account, PINNED).deletePassword(signal),
      ),
    findCredentials: service =>
      use(({findCredentialsAsync}, signal) => findCredentialsAsync(service, null, signal)),
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
  [/too long/i, 'The token is too long for this keychain.'],
]

/** The one sentence for what a keychain said; the library tells its errors apart by words alone. */
export function keychainError(error: unknown): SetupError {
  const words = error instanceof Error ? error.message : String(error)
  const known = SENTENCES.find(([pattern]) => pattern.test(words))
  const sentence = known?.[1] ?? `There is no keychain that works here (${printable(words, 160)}).`
  return new SetupError('keychain', `${sentence} ${WAY_OUT}`, {cause: error})
}

function late(limit: number): SetupError {
  return new SetupError(
    'keychain',
    `The keychain did not answer within ${limit / 1000} seconds. If it asked for a password, unlock it first, then try again. ${WAY_OUT}`,
  )
}

async function within<T>(limit: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const ending = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late(limit))
      controller.abort()
    }, limit)
  })
  try {
    return await Promise.race([work(controller.signal), ending])
  } catch (error) {
    throw error instanceof SetupError ? error : keychainError(error)
  } finally {
    clearTimeout(timer)
  }
}

/** What the keychain of this system is called. */
export function keychainName(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'macOS Keychain'
  return platform === 'win32' ? 'Windows Credential Manager' : 'Secret Service'
}
