import {readTime} from './query/parse.js'

/** Reads times and durations as people write them. */

/** The accepted times, for errors and help. */
export const TIME_HINT = 'Use a time such as 12h, 7d, 2w, 3mo, 1y, today, yesterday or 2026-01-31.'

type Unit = 'minutes' | 'hours' | 'days' | 'weeks' | 'months' | 'years'

const UNITS: ReadonlyArray<readonly [RegExp, Unit]> = [
  [/^(?:m|mins?|minutes?)$/, 'minutes'],
  [/^(?:h|hours?)$/, 'hours'],
  [/^(?:d|days?)$/, 'days'],
  [/^(?:w|weeks?)$/, 'weeks'],
  [/^(?:mo|mons?|months?)$/, 'months'],
  [/^(?:y|years?)$/, 'years'],
]

const FIXED: Readonly<Record<string, number>> = {
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 7 * 86_400_000,
}

/** The accepted durations, for errors and help. */
export const DURATION_HINT = 'Use a duration such as 30s, 10m, 8h, 7d or 2w.'

/** Parses a duration such as `30s`, `8h` or `1d 12h`; in milliseconds, `undefined` if invalid. */
export function durationIn(text: string): number | undefined {
  const words = text.trim().toLowerCase()
  if (!/^(?:\d{1,6} ?[a-z]+ ?)+$/.test(words)) return undefined
  return [...words.matchAll(/(\d{1,6}) ?([a-z]+)/g)].reduce<number | undefined>(
    (sum, [, number, word]) => {
      const unit = UNITS.find(([pattern]) => pattern.test(word!))?.[1]
      const fixed = /^(?:s|secs?|seconds?)$/.test(word!) ? 1000 : unit && FIXED[unit]
      return fixed === undefined || sum === undefined ? undefined : sum + Number(number) * fixed
    },
    0,
  )
}

/** Days from today, at local midnight. */
const DAYS: Readonly<Record<string, number>> = {yesterday: -1, today: 0, tomorrow: 1}

/**
 * Parses a time, in Unix ms: an age (`30m`, `12h`, `7d`, `2w`, `3mo`, `1y`, `1y6mo`, `2w ago`, `-1d`), `now`,
 * `today`, `yesterday`, `tomorrow`, a date, or a time of RFC 3339; local without a time zone. An age without
 * a sign is in the past, or in the future with `isAhead` (expirations); `+1d` and `in 1d` are in the future.
 * `undefined` if invalid.
 */
export function momentIn(
  text: string,
  now: number,
  {isAhead = false}: {readonly isAhead?: boolean} = {},
): number | undefined {
  const words = text.trim().toLowerCase()
  if (words === 'now') return now
  if (Object.hasOwn(DAYS, words)) return midnight(now, DAYS[words]!)
  return ageIn(words, now, isAhead) ?? dateIn(text)
}

function ageIn(words: string, now: number, isAhead: boolean): number | undefined {
  const [, sign = '', into, body = '', ago] =
    /^([+-])?(in )?((?:\d{1,6} ?[a-z]+ ?)+?)( ?ago)?$/.exec(words) ?? []
  if (body === '') return undefined
  if ([sign !== '', into, ago].filter(Boolean).length > 1) return undefined
  const isFuture = sign === '' && !into && !ago ? isAhead : sign === '+' || into !== undefined
  let moment = now
  for (const [, number, word] of body.matchAll(/(\d{1,6}) ?([a-z]+)/g)) {
    const unit = UNITS.find(([pattern]) => pattern.test(word!))?.[1]
    if (!unit) return undefined
    moment = moved(moment, (isFuture ? 1 : -1) * Number(number), unit)
  }
  return Number.isNaN(moment) ? undefined : moment
}

function moved(moment: number, number: number, unit: Unit): number {
  const fixed = FIXED[unit]
  if (fixed !== undefined) return moment + number * fixed
  const date = new Date(moment)
  const day = date.getDate()
  date.setDate(1)
  date.setMonth(date.getMonth() + number * (unit === 'years' ? 12 : 1))
  // A shorter month ends earlier: use its last day.
  date.setDate(Math.min(day, new Date(date.getFullYear(), date.getMonth() + 1, 0).getDate()))
  return date.getTime()
}

function midnight(now: number, days: number): number {
  const date = new Date(now)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime()
}

function dateIn(text: string): number | undefined {
  const moment = readTime(text)
  if (moment === undefined || /(z|[+-]\d\d:\d\d)$/i.test(text.slice(10))) return moment
  // Date.parse reads a date without a time as UTC.
  return Date.parse(text.length === 10 ? `${text}T00:00` : text)
}

/** Parses a time to move a clock to: an offset such as `+16m`, a time, or `real`; in Unix ms, `undefined` if invalid. */
export function targetTime(text: string, now: number): number | 'real' | undefined {
  if (text === 'real') return text
  const offset = text.startsWith('+') ? durationIn(text.slice(1)) : undefined
  if (offset !== undefined) return now + offset
  // Without a sign, `16m` means "16 minutes ago" elsewhere.
  return durationIn(text) === undefined ? momentIn(text, now) : undefined
}
