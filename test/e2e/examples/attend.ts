import type {ChildProcess} from 'node:child_process'
import {authorizeDevice, authorizeWeb} from '../../support/person.js'

/**
 * Does what a person does while a command runs: authorizes a sign-in in the browser, and ends a
 * service once it has told its address, and whatever else runs until it is stopped. Answers a function that waits until that is done.
 */
export function attend(child: ChildProcess, pidOfDrv: () => number): () => Promise<unknown> {
  let shown = ''
  let deed: Promise<unknown> | undefined
  const look = (chunk: Buffer) => {
    shown += chunk.toString()
    if (deed) return
    const code = /\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/.exec(shown)?.[0]
    const device = /http:\S+\/login\/device[^\s"]*/.exec(shown)?.[0]
    const web = /http:\S+\/login\/oauth\/authorize\?\S+(?=\s)/.exec(shown)?.[0]
    if (code && device) deed = authorizeDevice(device, code, 'authorize', 'me')
    else if (web) deed = authorizeWeb(web, 'authorize', 'me')
    else if (/^\{"base_url":/m.test(shown)) {
      deed = Promise.resolve(process.kill(pidOfDrv(), 'SIGINT'))
    } else if (/Press Ctrl-C to stop\.\n/.test(shown)) {
      deed = Promise.resolve(process.kill(pidOfDrv(), 'SIGTERM'))
    }
    // Nobody would ever do what the command waits for.
    deed?.catch(() => process.kill(pidOfDrv()))
  }
  child.stdout!.on('data', look)
  child.stderr!.on('data', look)
  return async () => deed
}
