/** Maximum length of a word to search candidates for: the time per candidate grows quadratically. */
const LONGEST = 200

/** The candidate closest to a misspelled word; `undefined` if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined
  // In a word of one or two letters, one wrong letter is too many.
  const limit = word.length < 3 ? 0 : Math.floor(word.length / 3)
  let best: string | undefined
  let least = limit + 1
  for (const candidate of candidates) {
    // A difference in length of n letters means at least n edits.
    if (Math.abs(candidate.length - word.length) >= least) continue
    const steps = distance(word.toLowerCase(), candidate.toLowerCase(), least)
    if (steps < least) [best, least] = [candidate, steps]
  }
  return best
}

/** `Did you mean "X"?`; quotes that belong to the word are not doubled. */
export function suggestionSentence(meant: string): string {
  return `Did you mean ${/^['"]/.test(meant) ? meant : JSON.stringify(meant)}?`
}

/**
 * The number of letters to add, remove, change or swap with a neighbor to turn `a` into `b` (optimal
 * string alignment distance); `limit` if it is `limit` or more.
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
    // No later row can go below the minimum of the last two, because a swap reaches back two rows.
    if (Math.min(...next) >= limit && Math.min(...row) >= limit) return limit
    before = row
    row = next
  }
  return row[b.length]!
}
