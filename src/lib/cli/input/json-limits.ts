import {isDeeperThan, MOST_LEVELS} from '#lib/api/document/depth.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {hasTooManyValues, MOST_VALUES} from '#lib/client/limits.js'

/** How much JSON a person may give: as much as a service may answer with. All throw `UsageError`. */

/** Before a text is parsed: an empty object takes two bytes in it, and a hundred in memory. */
export function refuseManyValues(text: string, source: string): void {
  if (!hasTooManyValues(text)) return
  throw new UsageError(
    `Cannot read ${source}: it has more than ${MOST_VALUES} values, the most that drv reads.`,
  )
}

/** Before anything goes through a value by calling itself. */
export function refuseDeepValues(value: unknown, what: string): void {
  if (!isDeeperThan(value, MOST_LEVELS)) return
  throw new UsageError(`${what} has more than ${MOST_LEVELS} levels.`)
}
