import {setMaxListeners} from 'node:events'
import {statSync} from 'node:fs'
import type {Context} from '#lib/cli/context/context.js'
import {onStopSignal} from '#lib/cli/context/stop-signal.js'
import {CommandError, Interrupted} from '#lib/cli/terminal/errors.js'
import {reasonOf} from '#lib/platform/system-errors.js'
import type {Follower} from './round-process.js'

/** What a follower needs of the machine. */

/**
 * `signal` aborts with that of the command, and with the first signal of the system; the second one ends the process at
 * once. A process of rounds leaves signals to its follower, because Ctrl-C reaches both.
 */
export function abortOnStop(context: Context, follower?: Follower) {
  const controller = new AbortController()
  let first: NodeJS.Signals | undefined
  const stop = (name: NodeJS.Signals) => {
    first = name
    controller.abort(new Interrupted())
  }
  if (follower) {
    context.onSignal(() => undefined)
    follower.on('stop', () => stop('SIGTERM'))
  } else onStopSignal(context, stop)
  const signal = AbortSignal.any([context.signal, controller.signal])
  // Each transfer adds a listener, and there may be many at a time.
  setMaxListeners(0, signal)
  return {signal, name: () => first}
}

/** Identifies a folder; `undefined` if it does not exist. */
export function folderIdentity(folder: string): string | undefined {
  const facts = statSync(folder, {throwIfNoEntry: false})
  return facts?.isDirectory() ? `${facts.dev} ${facts.ino}` : undefined
}

/** The error for a followed folder that was removed, replaced or unmounted: nothing is trashed because of that. */
export function rootGone(folder: string): CommandError {
  return new CommandError(
    'notFound',
    `${folder} was removed, replaced or unmounted, so drv stopped following it. Nothing was removed in the service.`,
    'When the folder is back, run the same command again.',
  )
}

/** The notice for a system that refuses to watch more folders. */
export function watchErrorText(error: NodeJS.ErrnoException): string {
  const {code = '', path = 'all folders'} = error
  const reason = REASONS[code] ?? `Cannot watch ${path}: ${reasonOf(error)}.`
  return `${reason} Meanwhile, drv compares all folders every minute.`
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC:
    'Cannot watch all folders: the system limit on file watches has been reached. Raise it with `sudo sysctl fs.inotify.max_user_watches=1048576`, then restart drv.',
  EMFILE:
    'Cannot watch all folders: too many open files. Raise the limit with `ulimit -n` or `sudo sysctl fs.inotify.max_user_instances=1024`, then restart drv.',
}
