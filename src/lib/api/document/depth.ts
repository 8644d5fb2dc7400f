/**
 * How many JSON values may lie in one another in a description. Real ones have some twenty; what goes
 * far beyond is made to break its readers, who all go down by calling themselves.
 */
export const MOST_LEVELS = 200

/** Whether some value lies below more than so many others. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let layer: unknown[] = [value]
  for (let level = 0; level <= levels && layer.length > 0; level += 1) {
    layer = layer.flatMap((inner): unknown[] =>
      typeof inner === 'object' && inner !== null ? Object.values(inner) : [],
    )
  }
  return layer.length > 0
}
