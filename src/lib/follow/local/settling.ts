/** Waits for local changes to end: a path counts as settled when nothing about it has changed for a while. */

/** The state of a path, and since when, in milliseconds. */
export interface Sighting {
  readonly mark: string
  readonly since: number
}

/** Milliseconds without a change after which a path counts as settled. */
export const QUIET = 1000

interface Settling {
  /** The sightings to pass next time; only of paths in `marks`. */
  readonly sightings: ReadonlyMap<string, Sighting>
  /** The paths that have not changed for `quiet` milliseconds. */
  readonly settled: ReadonlySet<string>
  /** Milliseconds until the next path can have settled; `undefined` if all have. */
  readonly wait?: number
}

/**
 * Compares the current states of paths (`marks`) with earlier sightings. After a first sighting nothing is
 * settled, because a program may be writing. Pure.
 */
export function settle(
  before: ReadonlyMap<string, Sighting>,
  marks: ReadonlyMap<string, string>,
  now: number,
  quiet = QUIET,
): Settling {
  const sightings = new Map<string, Sighting>()
  const settled = new Set<string>()
  let wait: number | undefined
  for (const [path, mark] of marks) {
    const last = before.get(path)
    // The clock may have been set back.
    const since = last?.mark === mark && last.since <= now ? last.since : now
    sightings.set(path, {mark, since})
    const left = since + quiet - now
    if (left <= 0) settled.add(path)
    else wait = Math.min(wait ?? left, left)
  }
  return {sightings, settled, ...(wait !== undefined && {wait})}
}
