import {randomUUID} from 'node:crypto'

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

/** Asks the library, which blocks, and fails with its errors. Waits for `mayWrite` before it writes what it removes again. */
export async function askLibrary(
  question: Question,
  library: Keyring,
  mayWrite: () => Promise<void> = async () => undefined,
): Promise<unknown> {
  const {service, account} = question
  const entry = () => new library.Entry(service, account, PINNED)
  switch (question.ask) {
    case 'get':
      return entry().getPassword() ?? null
    case 'set':
      return entry().setPassword(question.password)
    case 'delete':
      return entry().deletePassword()
    case 'try':
      // First what changes nothing: most keychains that do not answer are found out by it.
      entry().getPassword()
      await mayWrite()
      return tryOut(service, `trial of ${account} ${randomUUID()}`, library)
  }
}

/** Keeps something that is no secret, and takes it away again. */
function tryOut(service: string, account: string, {Entry}: Keyring): void {
  const entry = () => new Entry(service, account, PINNED)
  const text = 'no secret'
  try {
    entry().setPassword(text)
    if (entry().getPassword() !== text) throw new Error('it loses what it is given')
  } catch (error) {
    try {
      entry().deletePassword()
    } catch {
      // What went wrong first is told.
    }
    throw error
  }
  entry().deletePassword()
}
