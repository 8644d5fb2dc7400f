import {join} from 'node:path'
import {printable} from '#lib/platform/sanitize.js'
import {SetupError} from '#lib/platform/setup-error.js'
import type {Question} from './keyring.js'
import type {CredentialStore} from './store.js'

const ALTERNATIVE =
  'sign in with --insecure-storage to store the token in a file readable only by you, or set DRV_TOKEN.'

/** The keychain cannot be used. */
export class KeychainError extends SetupError {
  constructor(
    /** What failed, and what to do, without an alternative. */
    readonly sentence: string,
    /** Why, as a clause: `it is locked`. */
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    // Not a second thing to do after the first, but another way.
    const alternative = /again\.$/.test(sentence) ? `Or ${ALTERNATIVE}` : `S${ALTERNATIVE.slice(1)}`
    super('keychain', `${sentence} ${alternative}`, options)
  }
}

/** The keychain of the system; each call uses a new handle and has a time limit. */
export function keychainStore(
  ask: (question: Question) => Promise<unknown> = question => askKeychain(question),
  locks?: string,
): CredentialStore {
  const run = async <T>(question: Question): Promise<T> => {
    try {
      return (await ask(question)) as T
    } catch (error) {
      throw keychainError(error)
    }
  }
  return {
    getPassword: (service, account) => run({ask: 'get', service, account}),
    setPassword: (service, account, password) => run({ask: 'set', service, account, password}),
    deletePassword: (service, account) => run({ask: 'delete', service, account}),
    tryOut: (service, account) => run({ask: 'try', service, account}),
    locks,
  }
}

/** By message of the library (the first match counts): the reason as a clause, and a message where that is not enough. */
const PROBLEMS: ReadonlyArray<readonly [words: RegExp, reason: string, sentence?: string]> = [
  [
    /did not receive a reply|timed? ?out/i,
    'it does not respond',
    'The keychain does not respond. If it shows a password prompt, unlock it, then try again.',
  ],
  [
    // The Secret Service reports a closed prompt and a prompt that it could not show with the same words.
    /prompt was dismissed/i,
    'it is locked, and its prompt was closed or could not be shown',
    'The keychain is locked, and its prompt was closed or could not be shown. Unlock it, then try again.',
  ],
  [
    /dismissed|denied|cancell?ed|not allowed|authorization|interaction/i,
    'it denied access',
    'The keychain denied access. Allow drv to use it, then try again.',
  ],
  [/\blocked\b/i, 'it is locked', 'The keychain is locked. Unlock it, then try again.'],
  [
    /utf-?8|encoding|format|mime|decrypt|ambiguous|unpad|crypto/i,
    'its entry for drv is unreadable',
    'The keychain entry for drv is unreadable. Run `drv auth logout`, then sign in again.',
  ],
  [
    /no result found/i,
    'it has no unlocked collection',
    'The keychain has no unlocked collection. Create or unlock one in your keychain app, then try again.',
  ],
  [
    /too long|longer than/i,
    'the token is too long for it',
    'The token is too long for this keychain.',
  ],
  [/dbus/i, 'no D-Bus session, as is usual on servers and in containers'],
]

/** The error for a failure of the keychain library, which distinguishes its errors by message only. */
export function keychainError(error: unknown): KeychainError {
  const text = error instanceof Error ? error.message : String(error)
  const [, reason, sentence] = PROBLEMS.find(([pattern]) => pattern.test(text)) ?? [
    undefined,
    printable(text, 160),
  ]
  const message = sentence ?? `No keychain available (${reason}).`
  return new KeychainError(message, reason, {cause: error})
}

/** The name of the keychain on this system. */
export function keychainName(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'macOS Keychain'
  return platform === 'win32' ? 'Windows Credential Manager' : 'Secret Service'
}

/** Time limits in milliseconds: for the process to start, and then for the keychain to respond. */
const LIMITS = {start: 10_000, answer: 2500} as const

/** A message of the keychain process: its state, then its result or error. */
export interface KeychainMessage {
  /** `asking`: the keychain is being called; `writing`: the process waits for permission to write a trial secret. */
  readonly state?: 'asking' | 'writing'
  readonly answer?: unknown
  readonly error?: string
}

/**
 * Calls the keychain in a separate process, because the library blocks until the keychain responds. Throws the message
 * of the library, or `Timed out`.
 *
 * The process ends with drv, unless it is writing a trial secret: then it first deletes that, even if drv is killed.
 */
export async function askKeychain(
  question: Question,
  // The build puts it next to the bundle.
  program = join(__dirname, 'keychain.cjs'),
  limits: Readonly<Record<'start' | 'answer', number>> = LIMITS,
): Promise<unknown> {
  // Imported late: most commands use no keychain.
  const {spawn} = await import('node:child_process')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program], {
      env: plainEnvironment(process.env),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Detached, so that Ctrl-C in the terminal does not end it. On Windows, that would open a window.
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
    // Emitted after the last message.
    child.once('disconnect', () =>
      leave(() => reject(new Error('the helper process of drv exited'))),
    )
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

/** The environment without the variables of drv and Node.js: loading certificates alone takes 40 ms. */
function plainEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(NODE|DRV)_/.test(name)),
  )
}
