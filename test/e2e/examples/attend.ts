import type {ChildProcess} from 'node:child_process'
import {authorizeDevice, authorizeWeb} from '../../support/person.js'

/**
 * Acts as the user while a command runs: authorizes a sign-in in the browser, and stops a service or another
 * endless command once it is ready. Returns a function that waits until that is done.
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
    // Without it, the command would wait forever.
    deed?.catch(() => process.kill(pidOfDrv()))
  }
  child.stdout!.on('data', look)
  child.stderr!.on('data', look)
  return async () => deed
}
