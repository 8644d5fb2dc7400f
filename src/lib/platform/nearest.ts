/** Characters up to which a word counts as misspelt: the work for each candidate grows with their square. */
const LONGEST = 200

/** The candidate that `word` most likely meant, or `undefined` when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined
  // Of one or two letters one wrong one is too many.
  const limit = word.length < 3 ? 0 : Math.floor(word.length / 3)
  let best: string | undefined
  let least = limit + 1
  for (const candidate of candidates) {
    // Each letter more or less is a step.
    if (Math.abs(candidate.length - word.length) >= least) continue
    const steps = distance(word.toLowerCase(), candidate.toLowerCase(), least)
    if (steps < least) [best, least] = [candidate, steps]
  }
  return best
}

/**
 * The number of letters to add, remove, change or swap with the next to get from `a` to `b`; `limit`
 * or more where it takes that many.
 */
function distance(a: string, b: string, limit: number): number {
  let before: number[] = []
  let row = Array.from({length: b.length + 1}, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwapped ? before[j - 2]! + 1 : Infinity
      next.push(Math.min(change, swap, row[j]! + 1, next[j - 1]! + 1))
    }
    // No later row gets below the lowest of two, since a swap reaches over one.
    if (Math.min(...next) >= limit && Math.min(...row) >= limit) return limit
    before = row
    row = next
  }
  return row[b.length]!
}
