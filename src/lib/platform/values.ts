// Small functions that import no part of the service description, so that they load quickly.

/** A text in quotes, shortened to 60 characters. */
export function quoteText(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text)
}

/** `a, b or c` */
export function joinWithOr(values: readonly string[]): string {
  return [values.slice(0, -1).join(', '), ...values.slice(-1)].filter(Boolean).join(' or ')
}

/** A JSON value in a message, shortened to about 60 characters. */
export function quoteJson(value: unknown): string {
  if (typeof value === 'string') return quoteText(value)
  const text = JSON.stringify(value) ?? 'null'
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own property of a record, for names from outside such as `constructor`; else `undefined`. */
export function ownProperty<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

/** The value of a JSON text; `undefined` if it is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Splits a list into groups of at most `size` items. */
export function inGroups<T>(items: readonly T[], size: number): T[][] {
  const groups: T[][] = []
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size))
  return groups
}

/** Splits any number of items into groups of at most `size` items, as they are read. */
export function* inPieces<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let piece: T[] = []
  for (const item of items) {
    if (piece.push(item) < size) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

/** The first `count` items, as they are read; no more are read. */
export function* firstItems<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count
  if (left <= 0) return
  for (const item of items) {
    yield item
    left -= 1
    if (left <= 0) return
  }
}

/** Items grouped by key, in the order in which the keys first appear. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/**
 * The URL in a text, resolved against `base`; `undefined` if it is not a URL. It does not use
 * `URL.canParse`: in Node 20 that rejects URLs with umlauts once V8 has optimized its caller.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** `maxResults` -> `max-results`, `getIdForEmail` -> `get-id-for-email`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

/** The number of bytes in `500`, `1.5K`, `10M`, `2G` or `1T` (powers of 1024); `undefined` for other text. */
export function parseBytes(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)$/i.exec(text) ?? []
  if (number === undefined) return undefined
  return Number(number) * 1024 ** ' KMGT'.indexOf(unit.toUpperCase() || ' ')
}

/** Maps items, at most `width` at a time. */
export async function mapLimited<T, R>(
  items: readonly T[],
  width: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const next = items.entries()
  const work = async () => {
    for (const [index, item] of next) results[index] = await map(item)
  }
  await Promise.all(Array.from({length: width}, work))
  return results
}
