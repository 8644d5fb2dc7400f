import {join} from 'node:path'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {Question} from './keyring.js'
import type {CredentialStore} from './store.js'

const ALTERNATIVES =
  'Sign in with --insecure-storage to store the token in a file readable only by you, or set DRV_TOKEN.'

/** The keychain cannot be used. */
export class KeychainError extends SetupError {
  constructor(
    sentence: string,
    /** Why, as a clause: `it is locked`. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super('keychain', `${sentence} ${ALTERNATIVES}`, options)
  }
}

/** The keychain of the system, each call with a fresh handle and a time limit. */
export function keychainStore(
  ask: (question: Question) => Promise<unknown> = question => askKeychain(question),
  locks?: string,
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
    locks,
  }
}

/** What the libraries say, the reason in it, and a sentence where more is to be said; the first that fits counts. */
const PROBLEMS: ReadonlyArray<readonly [words: RegExp, reason: string, sentence?: string]> = [
  [
    /did not receive a reply|timed? ?out/i,
    'it does not answer',
    'The keychain does not answer. If it asked for a password, unlock it first, then try again.',
  ],
  [
    // The Secret Service says the same of a prompt that somebody closed and of one that it could not show.
    /prompt was dismissed/i,
    'it is locked, and its prompt was closed or could not be shown',
    'The keychain is locked, and its prompt was closed or could not be shown. Unlock it, then try again.',
  ],
  [
    /dismissed|denied|cancell?ed|not allowed|authorization|interaction/i,
    'it refused access',
    'The keychain refused access. Allow drv to use it, then try again.',
  ],
  [/\blocked\b/i, 'it is locked', 'The keychain is locked. Unlock it, then try again.'],
  [
    /utf-?8|encoding|format|mime|decrypt|ambiguous|unpad|crypto/i,
    'what it holds for drv cannot be read',
    'What the keychain holds for drv cannot be read. Run `drv auth logout`, then sign in again.',
  ],
  [
    /no result found/i,
    'it has no collection that is open to keep secrets in',
    'The keychain has no collection that is open to keep secrets in. Make or unlock one with its own program, then try again.',
  ],
  [
    /too long|longer than/i,
    'the token is too long for it',
    'The token is too long for this keychain.',
  ],
  [/dbus/i, 'no D-Bus session, as is usual on servers and in containers'],
]

/** The one error for what a keychain said; the library tells its errors apart by words alone. */
export function keychainError(error: unknown): KeychainError {
  const words = error instanceof Error ? error.message : String(error)
  const [, reason, sentence] = PROBLEMS.find(([pattern]) => pattern.test(words)) ?? [
    undefined,
    printable(words, 160),
  ]
  const told = sentence ?? `No keychain available (${reason}).`
  return new KeychainError(told, reason, {cause: error})
}

/** What the keychain of this system is called. */
export function keychainName(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'macOS Keychain'
  return platform === 'win32' ? 'Windows Credential Manager' : 'Secret Service'
}

/** Milliseconds that the process may take to start, and then the keychain to answer. */
const LIMITS = {start: 10_000, answer: 2500} as const

/** What the process tells: how far it is, and then what came of it. */
export interface KeychainMessage {
  /** It asks now, or it would write something that it will take away again, and waits for a word. */
  readonly state?: 'asking' | 'writing'
  readonly answer?: unknown
  readonly error?: string
}

/**
 * Asks the keychain in a process of its own, because the library stops everything else for as long
 * as the keychain says nothing. Fails with the library's words, or when no answer came in time.
 *
 * The process ends with drv at the latest, unless it is writing what it has to take away again: it
 * does that however drv ends, as soon as the keychain lets it.
 */
export async function askKeychain(
  question: Question,
  // Of the bundle, beside which the build puts it.
  program = join(__dirname, 'keychain.cjs'),
  limits: Readonly<Record<'start' | 'answer', number>> = LIMITS,
): Promise<unknown> {
  // Most commands ask no keychain.
  const {spawn} = await import('node:child_process')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program], {
      env: plainEnvironment(process.env),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // What ends all processes at a terminal is not meant for it. Windows would open a window.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    let isWriting = false
    let timer = setTimeout(giveUp, limits.start)
    process.once('exit', kill)
    child.on('message', ({state, answer, error}: KeychainMessage) => {
      if (state === 'asking') {
        clearTimeout(timer)
        timer = setTimeout(giveUp, limits.answer)
      } else if (state === 'writing') {
        isWriting = true
        child.send({})
      } else leave(() => (error === undefined ? resolve(answer) : reject(new Error(error))))
    })
    child.once('error', error => leave(() => reject(error)))
    // Comes after all that it has told.
    child.once('disconnect', () => leave(() => reject(new Error('the process that asks it ended'))))
    child.send(question)

    function giveUp() {
      kill()
      leave(() => reject(new Error('Timed out')))
    }

    function kill() {
      if (!isWriting) child.kill('SIGKILL')
    }

    function leave(settle: () => void) {
      clearTimeout(timer)
      process.off('exit', kill)
      child.removeAllListeners().on('error', () => undefined)
      if (child.connected) child.disconnect()
      child.unref()
      settle()
    }
  })
}

/** Without what is meant for drv, or for how Node runs it: certificates alone cost 40 ms. */
function plainEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(NODE|DRV)_/.test(name)),
  )
}
