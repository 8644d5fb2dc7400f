import {ProtocolError} from './errors.js'

/**
 * How much an answer may hold, beyond its bytes: what takes two bytes on the wire, as an empty record
 * does, takes a hundred in memory. All throw `ProtocolError` with the limit. Pure.
 */

/** Seven times what a full page of whole records has, each with ten permissions. */
const MOST_VALUES = 1_000_000
/** What records hold is five deep; thousands of levels are more than can be written again. */
const MOST_LEVELS = 100
/** Names in one object; records have less than a hundred. */
const MOST_NAMES = 10_000

const OBJECT = 0x7b
const LIST = 0x5b
const COMMA = 0x2c

/**
 * Checks how many values a text of JSON has, before it is parsed; commas and brackets within texts
 * count as well.
 */
export function checkValues(text: string, url: string): void {
  // A value and what is between it and the next one are two characters at least.
  if (text.length <= 2 * MOST_VALUES) return
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === COMMA || code === OBJECT || code === LIST) values++
  }
  if (values > MOST_VALUES) throw tooLarge(url, `${MOST_VALUES} values`)
}

/** Checks how deep lists and objects are nested in a value of JSON, and how many names objects have. */
export function checkShape(value: unknown, url: string): void {
  const excess = excessOf(value, MOST_LEVELS)
  if (excess !== undefined) throw tooLarge(url, excess)
}

/** The limit that a value exceeds, where it may have so many levels. */
function excessOf(value: unknown, levels: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return `${MOST_LEVELS} levels`
  const parts = Array.isArray(value) ? (value as unknown[]) : Object.values(value)
  if (parts !== value && parts.length > MOST_NAMES) return `${MOST_NAMES} names in one object`
  for (const part of parts) {
    const excess = excessOf(part, levels - 1)
    if (excess !== undefined) return excess
  }
  return undefined
}

export function tooLarge(url: string, limit: string): ProtocolError {
  return new ProtocolError(
    `${new URL(url).host} sent an answer of more than ${limit}, which no answer of this service needs. Ask for less at once: fewer results, or fewer fields of each.`,
  )
}
