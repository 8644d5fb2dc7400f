import {ProtocolError} from './errors.js'

/** Limits for responses beyond their size: an empty record takes 2 bytes on the wire and 100 in memory. All throw `ProtocolError`. Pure. */

/** Maximum number of values: five times a full page of complete records with ten permissions each. */
export const MOST_VALUES = 700_000
/** Maximum nesting. Records have five levels; thousands of levels could not be serialized again. */
const MOST_LEVELS = 100
/** Maximum number of names in one object. Records have fewer than a hundred. */
const MOST_NAMES = 10_000

/** Characters up to which only lists and objects are counted, since they take the most memory; above it, commas too. */
const LIGHT = 5 * 1024 * 1024

/** Throws if a response has too many values; called before parsing. */
export function checkValues(text: string, url: string): void {
  if (hasTooManyValues(text))
    throw tooLarge(url, `with more than ${MOST_VALUES.toLocaleString('en')} values`)
}

/**
 * Whether a JSON text has too many values. Counts the characters that begin or separate them, including those in
 * strings. In short texts it ignores numbers and strings, which take little memory but the most time to count.
 */
export function hasTooManyValues(text: string): boolean {
  if (text.length <= MOST_VALUES) return false
  let values = 0
  for (const mark of text.length > LIGHT ? ['{', '[', ','] : ['{', '[']) {
    // Jumping between matches is much faster than checking each character.
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      if (++values > MOST_VALUES) return true
    }
  }
  return false
}

/** Checks nesting and names per object. Returns whether a number is too large to be exact. */
export function checkShape(outer: object, url: string, levels = MOST_LEVELS): boolean {
  if (levels === 0) throw tooLarge(url, `with more than ${MOST_LEVELS} levels of nesting`)
  let isInexact = false
  if (Array.isArray(outer)) {
    for (const value of outer) if (checkValue(value, url, levels)) isInexact = true
    return isInexact
  }
  let names = 0
  // This runs for every record of every list, and Object.values would be slower.
  for (const name in outer) {
    names++
    if (checkValue((outer as Record<string, unknown>)[name], url, levels)) isInexact = true
  }
  if (names > MOST_NAMES)
    throw tooLarge(url, `with more than ${MOST_NAMES.toLocaleString('en')} names in one object`)
  return isInexact
}

function checkValue(value: unknown, url: string, levels: number): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  return typeof value === 'object' && value !== null && checkShape(value, url, levels - 1)
}

/** The error for a response over a limit, such as `larger than 16 MiB`; `remedy` is a sentence. */
export function tooLarge(url: string, excess: string, remedy = FEWER): ProtocolError {
  const {host} = new URL(url)
  return new ProtocolError(
    `${host} sent a response ${excess}, which drv does not accept.${remedy && ` ${remedy}`}`,
  )
}

/** The remedy for responses of the file service. */
export const FEWER = 'Request fewer results or fewer fields.'

/** A limit in bytes for messages: `16 MiB`, `64 KiB`, or the number of bytes. */
export function limitText(bytes: number): string {
  const [mebi, kibi] = [bytes / 1024 / 1024, bytes / 1024]
  if (Number.isInteger(mebi)) return `${mebi} MiB`
  return Number.isInteger(kibi) ? `${kibi} KiB` : `${bytes.toLocaleString('en')} bytes`
}
