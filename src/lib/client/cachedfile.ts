import {readFileSync, statSync} from 'node:fs'

/** What was read so many milliseconds ago still counts: many small requests need no look each. */
const FRESH = 50

/**
 * Reads a small file anew, unless it was read a moment ago, so that each of a crowd of requests may
 * ask. Gives its text; an empty one where there is no such file, or none that can be read. `now` is
 * in milliseconds.
 */
export function cachedFile(now: () => number, file: string): () => string {
  let known: {readonly text: string; readonly at: number} | undefined
  return () => {
    const time = now()
    // A clock that was set back must not make it count for ever.
    if (!known || time < known.at || time - known.at >= FRESH) known = {text: read(file), at: time}
    return known.text
  }
}

/** Not worth a way through the thread pool: mostly there is nothing. */
function read(file: string): string {
  try {
    return statSync(file, {throwIfNoEntry: false}) ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}
