import {type ChildProcess, spawn} from 'node:child_process'
import {join} from 'node:path'
import type {Question} from './keyring.js'

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
export function askKeychain(
  question: Question,
  // Of the bundle, beside which the build puts it.
  program = join(__dirname, 'keychain.cjs'),
  limits: Readonly<Record<'start' | 'answer', number>> = LIMITS,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = start(program)
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

function start(program: string): ChildProcess {
  return spawn(process.execPath, [program], {
    env: plainEnvironment(process.env),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // What ends all processes at a terminal is not meant for it. Windows would open a window.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
}

/** Without what is meant for drv, or for how Node runs it: certificates alone cost 40 ms. */
function plainEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(NODE|DRV)_/.test(name)),
  )
}
