import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import type {Context} from './context.js'

/** Signals that end commands which otherwise run until they are stopped. */

/** Calls `stop` with the first signal; the second one ends the process at once. */
export function onStopSignal(
  {onSignal}: Pick<Context, 'onSignal'>,
  stop: (name: NodeJS.Signals) => void,
): void {
  let isStopping = false
  onSignal(name => {
    if (isStopping) process.exit(exitCodes.interrupted)
    isStopping = true
    stop(name)
  })
}

/** Resolves with the first signal; the second one ends the process at once. */
export function stopSignal(context: Pick<Context, 'onSignal'>): Promise<NodeJS.Signals> {
  return new Promise(resolve => onStopSignal(context, resolve))
}
