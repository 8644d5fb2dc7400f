import {ProtocolError} from './errors.js'

/** How much a response may hold beyond its bytes: an empty record is 2 bytes on the wire, 100 in memory. All throw `ProtocolError`. Pure. */

/** Five times what a full page of whole records has, each with ten permissions. */
export const MOST_VALUES = 700_000
/** What records hold is five deep; thousands of levels are more than can be written again. */
const MOST_LEVELS = 100
/** Names in one object; records have less than a hundred. */
const MOST_NAMES = 10_000

/** Lists and objects weigh most: where a text is longer than this, commas count as well. */
const LIGHT = 5 * 1024 * 1024

/** Checks how many values an answer has, before it is parsed. */
export function checkValues(text: string, url: string): void {
  if (hasTooManyValues(text)) throw tooLarge(url, `${MOST_VALUES} values`)
}

/**
 * Whether a JSON text has too many values, by the characters that begin or separate them, those within texts too.
 * In a short text numbers and texts are not counted: they take little memory, and counting takes longest.
 */
export function hasTooManyValues(text: string): boolean {
  if (text.length <= MOST_VALUES) return false
  let values = 0
  for (const mark of text.length > LIGHT ? ['{', '[', ','] : ['{', '[']) {
    // From one to the next is much faster than from character to character.
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      if (++values > MOST_VALUES) return true
    }
  }
  return false
}

/** Checks depth and names per object; returns whether a number is beyond those that are exact to the last digit. */
export function checkShape(outer: object, url: string, levels = MOST_LEVELS): boolean {
  if (levels === 0) throw tooLarge(url, `${MOST_LEVELS} levels`)
  let isInexact = false
  if (Array.isArray(outer)) {
    for (const value of outer) if (checkValue(value, url, levels)) isInexact = true
    return isInexact
  }
  let names = 0
  // Every record of every list comes by here: a list of its values would take longer.
  for (const name in outer) {
    names++
    if (checkValue((outer as Record<string, unknown>)[name], url, levels)) isInexact = true
  }
  if (names > MOST_NAMES) throw tooLarge(url, `${MOST_NAMES} names in one object`)
  return isInexact
}

function checkValue(value: unknown, url: string, levels: number): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  return typeof value === 'object' && value !== null && checkShape(value, url, levels - 1)
}

export function tooLarge(url: string, limit: string): ProtocolError {
  return new ProtocolError(
    `${new URL(url).host} sent an answer of more than ${limit}, which no answer of this service needs. Ask for less at once: fewer results, or fewer fields of each.`,
  )
}
