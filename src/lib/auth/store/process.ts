import type {KeychainMessage} from './keychain.js'
import {askLibrary, type Keyring, type Question} from './keyring.js'

/** The process that asks the keychain one question for drv (`askKeychain` starts it), because the library blocks its caller. */

// Ctrl-C reaches all processes at a terminal; drv decides what becomes of this one.
process.on('SIGINT', () => undefined)
void heard().then(question => reply(question as Question))

async function reply(question: Question): Promise<void> {
  try {
    const keyring: Keyring = await import('@napi-rs/keyring')
    await tell({state: 'asking'})
    await tell({answer: await askLibrary(question, keyring, mayWrite)})
  } catch (error) {
    await tell({error: error instanceof Error ? error.message : String(error)})
  }
  process.exit()
}

/** Where drv is gone this never comes, and the process ends because it waits for nobody. */
async function mayWrite(): Promise<void> {
  const word = heard()
  await tell({state: 'writing'})
  await word
}

function heard(): Promise<unknown> {
  return new Promise(resolve => process.once('message', resolve))
}

function tell(message: KeychainMessage): Promise<void> {
  return new Promise(resolve => {
    // Whoever asked may be gone.
    if (process.connected) process.send!(message, undefined, undefined, () => resolve())
    else resolve()
  })
}
