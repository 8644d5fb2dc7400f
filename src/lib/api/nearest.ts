/** The candidate that `word` most likely meant, or `undefined` when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  // Of one or two letters one wrong one is too many.
  const limit = word.length < 3 ? 0 : Math.floor(word.length / 3)
  let best: string | undefined
  let least = limit + 1
  for (const candidate of candidates) {
    const steps = distance(word.toLowerCase(), candidate.toLowerCase())
    if (steps < least) [best, least] = [candidate, steps]
  }
  return best
}

/** How many letters must be added, removed, changed or swapped with the next to get from `a` to `b`. */
function distance(a: string, b: string): number {
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
    before = row
    row = next
  }
  return row[b.length]!
}
