import {setTimeout as wait} from 'node:timers/promises'
import type {Context} from '#lib/cli/context/context.js'
import {freshContext} from '#lib/cli/context/fresh-context.js'
import type {SubscriptionOptions} from '#lib/follow/subscription.js'

/**
 * The parts of a command that its channels use. They work until the command has ended, because a channel must be
 * stopped even after an interruption or `--timeout`.
 */
export function channelTools(
  context: Context,
): Pick<SubscriptionOptions, 'call' | 'now' | 'sleep' | 'newId'> {
  const {now, newId} = context
  const ending = new AbortController()
  context.onEnd(() => ending.abort())
  return {
    ...{now, newId},
    sleep: (milliseconds, until) =>
      wait(milliseconds, undefined, {signal: until}).catch(() => undefined),
    // Requests are rare, and someone may have signed in again since the last one.
    async call(id, input) {
      const fresh = await freshContext(context, ending.signal)
      try {
        return await (await fresh.client()).call(id, input)
      } finally {
        await fresh.close()
      }
    },
  }
}
