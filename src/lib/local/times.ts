import {durationIn, momentIn} from '#lib/api/moment.js'

/** The clock of a new service, from its option. Throws for a text that is not a time. */
export function clockSource(
  clock: Date | string | number | (() => number) | undefined,
): (() => number) | undefined {
  if (clock === undefined || typeof clock === 'function') return clock
  const offset = timeOf(clock) - Date.now()
  return () => Date.now() + offset
}

/** A time in Unix ms. Throws for a text that is not a time. */
export function timeOf(time: Date | string | number): number {
  const moment = typeof time === 'string' ? momentIn(time, Date.now()) : Number(time)
  if (moment !== undefined && Number.isFinite(moment)) return moment
  throw new Error(`Invalid time "${String(time)}": use a date such as 2027-03-01T12:00:00Z.`)
}

/** A duration in ms. Throws for a text that is not a duration, and a negative number. */
export function lengthOf(duration: number | string): number {
  const length = typeof duration === 'string' ? durationIn(duration.replace(/^\+/, '')) : duration
  if (length !== undefined && Number.isFinite(length) && length >= 0) return length
  throw new Error(
    `Invalid duration "${duration}": use milliseconds, or a string such as +16m or 2h.`,
  )
}
