import {printable, safeJson} from '#lib/platform/sanitize.js'

/** A value as the text of a table cell: one line, without control characters; lists and objects shortened. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return oneLine(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.map(cell).join(', ')
  return oneLine(brief(value as Readonly<Record<string, unknown>>))
}

/** A value in full, for programs: strings unchanged, lists and objects as JSON, `null` as ''. */
export function exactCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : safeJson(value)
}

/** Formats a time in the local time zone: `2026-11-21 09:30`; returns any other text unchanged. */
export function shortTime(text: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text)) return text
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) return text
  const [year, ...parts] = [
    time.getFullYear(),
    time.getMonth() + 1,
    time.getDate(),
    time.getHours(),
    time.getMinutes(),
  ].map(part => String(part).padStart(2, '0'))
  const [month, day, hour, minute] = parts
  return `${year}-${month}-${day} ${hour}:${minute}`
}

/** The name of an object, or its JSON. */
function brief(value: Readonly<Record<string, unknown>>): string {
  for (const name of ['displayName', 'title', 'name', 'emailAddress', 'id']) {
    if (typeof value[name] === 'string') return value[name]
  }
  return JSON.stringify(value)
}

function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' '), Infinity)
}
