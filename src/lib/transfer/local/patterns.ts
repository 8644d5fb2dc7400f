/**
 * The number of paths to test before the cache is dropped. `ignore` keeps its result for every path, which takes more
 * than 100 bytes for each, and only another instance has an empty cache.
 */
const MOST_CACHED = 10_000

/** A function that tests whether a path matches patterns with the syntax of `.gitignore`. */
export async function patternTest(
  patterns: readonly string[],
  {ignoreCase}: {readonly ignoreCase: boolean},
): Promise<(path: string) => boolean> {
  const {default: ignore} = await import('ignore')
  const create = () => ignore({ignorecase: ignoreCase})
  const rules = create().add(patterns)
  let caching = rules
  let cached = 0
  return path => {
    if (cached === MOST_CACHED) {
      // Shares the compiled patterns.
      caching = create().add(rules)
      cached = 0
    }
    cached += 1
    return caching.ignores(path)
  }
}
