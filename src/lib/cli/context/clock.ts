import {Flags} from '@oclif/core'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {momentIn} from '#lib/cli/terminal/units.js'

/** The flag by which the local service goes by another time, so that what ends after days ends now. */
export const clockFlag = {
  clock: Flags.string({
    summary:
      'Go by another time: +2d is two days ahead (m, h, d, w), a date or time where it begins.',
    helpValue: '+2d|TIME',
  }),
}

/**
 * The clock that `--clock` asks for, in Unix ms, which goes on from there as `now` does; `undefined`
 * without the flag. Throws `UsageError` for what is no time.
 */
export function clockOf(flag: string | undefined, now: () => number): (() => number) | undefined {
  if (flag === undefined) return undefined
  const ahead = aheadBy(flag, now())
  if (ahead !== undefined) return () => now() + ahead
  throw new UsageError(
    `--clock must be so much ahead or behind, or a date or time, not "${flag}".`,
    'Such as: --clock +2d, --clock -1h, --clock 2027-03-01T12:00:00Z',
  )
}

/** Milliseconds; `undefined` for what is no time. */
function aheadBy(text: string, now: number): number | undefined {
  const [, sign, age] = /^([+-])(\d+[mhdw])$/i.exec(text) ?? []
  const moment = momentIn(age ?? text, now)
  // Without a sign an age is no moment to begin at.
  if (moment === undefined || (age === undefined && /^\d+[mhdw]$/i.test(text))) return undefined
  return sign === '+' ? now - moment : moment - now
}
