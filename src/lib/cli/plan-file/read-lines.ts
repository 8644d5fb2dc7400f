import {isObject} from '#lib/platform/values.js'

/** Reads lines of JSON that anyone may have written: bounded in length and depth, and free of ambiguity. */

/** Maximum length of a line in bytes. */
export const LONGEST_LINE = 1024 * 1024

/** Maximum nesting of a line. Request bodies have five levels. */
const MOST_LEVELS = 50

/** A line is invalid. The message is a reason, to follow the line number. */
export class LineError extends Error {}

/** A line of a file, without its line break. */
export interface NumberedLine {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** Splits chunks into lines. Throws `LineError` for a line that is too long or not UTF-8, after calling `at` with its number. */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  at: (number: number) => void,
): AsyncGenerator<NumberedLine> {
  const decoder = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true})
  let parts: Buffer[] = []
  let length = 0
  let number = 1
  const add = (part: Buffer) => {
    length += part.length
    if (length > LONGEST_LINE) throw new LineError('is longer than 1 MiB')
    parts.push(part)
  }
  const take = (): NumberedLine => {
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    parts = []
    length = 0
    try {
      return {number, text: decoder.decode(bytes)}
    } catch {
      throw new LineError('is not valid UTF-8')
    }
  }
  at(number)
  for await (const chunk of chunks) {
    let from = 0
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, to))
      yield take()
      from = to + 1
      number += 1
      at(number)
    }
    if (from < chunk.length) add(chunk.subarray(from))
  }
  if (length > 0) yield take()
}

/** The JSON object of a line. Throws `LineError` for anything else, and for a name that an object has twice. */
export async function objectIn(text: string): Promise<Readonly<Record<string, unknown>>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new LineError('is not JSON')
  }
  if (!isObject(value)) throw new LineError('is not a JSON object')
  if (!hasLevels(value, MOST_LEVELS)) {
    throw new LineError(`is nested more than ${MOST_LEVELS} levels deep`)
  }
  // What drv writes is canonical. Only other texts can have a name twice, and readers see only one of the two.
  if (JSON.stringify(value) !== text) {
    const name = await repeatedName(text)
    if (name !== undefined)
      throw new LineError(`has the field ${JSON.stringify(name)} twice in an object`)
  }
  return value
}

function hasLevels(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every(inner => hasLevels(inner, levels - 1))
}

/** The first name that an object has twice; `undefined` if all names differ. */
async function repeatedName(text: string): Promise<string | undefined> {
  const {visit} = await import('jsonc-parser')
  const open: Array<Set<string>> = []
  let found: string | undefined
  try {
    visit(text, {
      onObjectBegin: () => void open.push(new Set()),
      onObjectEnd: () => void open.pop(),
      onObjectProperty(name) {
        const names = open.at(-1)!
        if (names.has(name)) found ??= name
        names.add(name)
      },
    })
  } catch {
    // Nested too deep below a name that comes again.
    throw new LineError(`is nested more than ${MOST_LEVELS} levels deep`)
  }
  return found
}
