import {readTime} from '#lib/api/query/parse.js'

/**
 * What the everyday verbs share beyond the operations they are made of: places and what lies there,
 * what is searched for, and how it is shown. How folders are listed with few requests belongs to
 * `lib/transfer/remote`.
 */

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
}

/**
 * The moment that a person names: so long before `now` (`30m`, `12h`, `7d`, `2w`), a date, or a time of
 * RFC 3339; what has no zone is of the person's own. Unix ms; `undefined` for anything else.
 */
export function momentIn(text: string, now: number): number | undefined {
  const [, number, unit = ''] = /^(\d{1,6})([mhdw])$/i.exec(text) ?? []
  if (number !== undefined) return now - Number(number) * UNITS[unit.toLowerCase()]!
  const moment = readTime(text)
  if (moment === undefined || /(z|[+-]\d\d:\d\d)$/i.test(text.slice(10))) return moment
  // A date alone would be one of UTC.
  return Date.parse(text.length === 10 ? `${text}T00:00` : text)
}
