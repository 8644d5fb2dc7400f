/** What was read so many milliseconds ago still counts: many small requests need no look each. */
const FRESH = 50

/**
 * Reads anew what may have changed, unless it was read a moment ago, so that each of a crowd of
 * requests may ask. `now` is in milliseconds.
 */
export function createGlance<T>(now: () => number, read: () => Promise<T>): () => Promise<T> {
  let known: {readonly value: Promise<T>; readonly at: number} | undefined
  return () => {
    const time = now()
    // A clock that was set back must not make it count for ever.
    if (!known || time < known.at || time - known.at >= FRESH) known = {value: read(), at: time}
    return known.value
  }
}
