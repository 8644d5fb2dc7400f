import {join} from 'node:path'
import {createLimiter} from '#lib/client/retry/attempts.js'
import type {Settings} from '#lib/config/settings.js'
import {nameFromKey} from '#lib/platform/state-file.js'
import {pauseText} from './notices.js'

/** Milliseconds from which a pause for other processes is shown. Shorter ones follow a retry that was shown already. */
const LONG_WAIT = 1000

interface Waiting {
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly showWait: (text: string, milliseconds: number) => void
}

/** The rate limit that all processes with the same service and profile share, through a file in the state directory. */
export function sharedLimiter(
  state: string,
  {profile, binding}: Pick<Settings, 'profile' | 'binding'>,
  {now, sleep, showWait}: Waiting,
) {
  const file = join(state, 'limits', nameFromKey([profile, binding], 16))
  const sleepAndNotify = (milliseconds: number) => {
    if (milliseconds >= LONG_WAIT) showWait(pauseText(milliseconds), milliseconds)
    return sleep(milliseconds)
  }
  return createLimiter({file, now, sleep: sleepAndNotify, random: Math.random})
}
