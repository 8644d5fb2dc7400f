/** An RFC 3339 time as Unix ms. Without a zone it is UTC; a date alone is its first moment. */
export function readTime(text: string): number | undefined {
  const parts =
    /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)([Zz]|[+-]\d\d:\d\d)?)?$/.exec(text)
  if (!parts) return undefined
  const [, date, time = '00:00', zone = 'Z'] = parts
  const midnight = new Date(`${date}T00:00:00Z`)
  // A day that its month does not have is taken for one of the next month.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date!))
    return undefined
  const ms = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  return Number.isNaN(ms) ? undefined : ms
}
