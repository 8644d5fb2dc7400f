/**
 * How many JSON values may lie in one another in a description. Real ones have some twenty; what goes
 * far beyond is made to break its readers, who all go down by calling themselves.
 */
export const MOST_LEVELS = 200

/** Whether some value lies below more than so many others. Goes no deeper than that itself. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (levels < 0) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(inner => isDeeperThan(inner, levels - 1))
  // A list of its values would take as much memory again.
  for (const name in value) {
    if (isDeeperThan((value as Record<string, unknown>)[name], levels - 1)) return true
  }
  return false
}
