import {printable} from '../../api/text.js'

/**
 * A value as the text of one cell: on one line, and without anything that a terminal would take
 * for a command. Lists and objects are told in brief.
 */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return oneLine(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return value.map(cell).join(', ')
  return oneLine(brief(value as Readonly<Record<string, unknown>>))
}

/** A value as it is, for programs: a text as itself, lists and objects as JSON, nothing as ''. */
export function exact(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : safeJson(value)
}

/** A point in time as people read it, in their own time zone: `2026-11-21 09:30`. */
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

/** What names an object best, else its JSON. */
function brief(value: Readonly<Record<string, unknown>>): string {
  for (const name of ['displayName', 'title', 'name', 'emailAddress', 'id']) {
    if (typeof value[name] === 'string') return value[name]
  }
  return JSON.stringify(value)
}

function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' '), Infinity)
}

/** What JSON itself does not escape, as it does all that comes before the blank, but terminals obey. */
const STEERING = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Characters in which that is replaced at once: to replace millions takes memory. */
const STRETCH = 64 * 1024

/** JSON in which nothing is left that a terminal would take for a command. */
export function safeJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent)
  // Most of it is ASCII, of which this is seen five times as fast.
  if (Buffer.byteLength(json) === json.length && !json.includes('\u007f')) return json
  return escapeSteering(json)
}

/** The text, which has it in quotes only, with each as an escape that JSON and YAML know. */
export function escapeSteering(text: string): string {
  let safe = ''
  for (let at = 0; at < text.length; at += STRETCH) {
    safe += text.slice(at, at + STRETCH).replace(STEERING, escaped)
  }
  return safe
}

/** Whether there is something in a text that terminals obey and JSON does not escape. */
export function isSteering(text: string): boolean {
  return text.search(STEERING) >= 0
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
