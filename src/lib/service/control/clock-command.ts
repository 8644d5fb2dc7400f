import {ClockError, type ServiceClock} from '#lib/service/clock.js'
import type {ControlCommands} from './control.js'
import {ControlError} from './protocol.js'

/**
 * Returns the command that moves the clock to the time `to` (Unix ms, or `real`), sends the
 * notifications that are due by `settle`, and responds with the time. Without `to`, it only responds.
 */
export function clockCommand(
  clock: ServiceClock,
  settle: () => Promise<void>,
): ControlCommands[string] {
  return async ({to}) => {
    if (to === undefined) return {now: clock.now()}
    if (to !== 'real' && !(typeof to === 'number' && Number.isFinite(to))) {
      throw new ControlError('Invalid time.')
    }
    try {
      clock.moveTo(to)
    } catch (error) {
      throw error instanceof ClockError ? new ControlError(error.message) : error
    }
    const now = clock.now()
    await settle()
    return {now}
  }
}
