import type {KeychainMessage} from './keychain.js'
import {askLibrary, type Keyring, type Question} from './keyring.js'

/** The process that makes one keychain request for drv, started by `askKeychain` because the library blocks its caller. */

// Ctrl-C reaches all processes of a terminal; drv decides when this one ends.
process.on('SIGINT', () => undefined)
void nextMessage().then(question => reply(question as Question))

async function reply(question: Question): Promise<void> {
  try {
    const keyring: Keyring = await import('@napi-rs/keyring')
    await sendMessage({state: 'asking'})
    await sendMessage({answer: await askLibrary(question, keyring, mayWrite)})
  } catch (error) {
    await sendMessage({error: error instanceof Error ? error.message : String(error)})
  }
  process.exit()
}

/** Waits for permission. If drv has exited, it never comes, and this process exits because nothing is pending. */
async function mayWrite(): Promise<void> {
  const permission = nextMessage()
  await sendMessage({state: 'writing'})
  await permission
}

function nextMessage(): Promise<unknown> {
  return new Promise(resolve => process.once('message', resolve))
}

function sendMessage(message: KeychainMessage): Promise<void> {
  return new Promise(resolve => {
    // drv may have exited.
    if (process.connected) process.send!(message, undefined, undefined, () => resolve())
    else resolve()
  })
}
