import {setTimeout as wait} from 'node:timers/promises'
import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import type {World} from '#lib/transfer/types.js'
import {bytesIn} from './byte-size.js'

/** The flag that leaves some of a line to others. */
export const limitRateFlag = {
  'limit-rate': Flags.string({
    summary:
      'Move no more than so many bytes a second, all transfers together; K, M and G are 1024 each.',
    helpValue: '5M',
  }),
}

/** Bytes a second. Throws `UsageError` for what is no number of them. */
function rateOf(text: string): number {
  const rate = bytesIn(text)
  if (rate !== undefined && rate >= 1) return rate
  throw new UsageError(
    `--limit-rate takes bytes a second, such as 500K or 5M, not "${text}".`,
    'Without it nothing is held back.',
  )
}

/** What transfers need, with the limit of a command line. Throws `UsageError` before anything is opened. */
export async function limitedTransfer(
  context: Pick<Context, 'transfer' | 'now'>,
  limit: unknown,
): Promise<World> {
  if (limit === undefined) return context.transfer()
  const rate = rateOf(String(limit))
  const [world, {createThrottle}] = await Promise.all([
    context.transfer(),
    import('#lib/transfer/throttle.js'),
  ])
  // All transfers of a command have one limit together.
  if (world.throttle) return world
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    wait(milliseconds, undefined, {signal}).catch((error: unknown) => {
      throw signal?.aborted ? signal.reason : error
    })
  return {...world, throttle: createThrottle({rate, now: context.now, sleep})}
}
