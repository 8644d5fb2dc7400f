/** A description has some twenty levels; what has thousands cannot be gone through by recursion. */
export const MOST_LEVELS = 100

/** Whether lists and objects are nested in a value of JSON deeper than anybody can go through. */
export function isTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_LEVELS) return true
    level = level.flatMap((outer): unknown[] =>
      typeof outer === 'object' && outer !== null ? Object.values(outer) : [],
    )
  }
  return false
}
