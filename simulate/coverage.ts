/** Counts which commands ended how, so that a simulation that reaches nothing is noticed. */
export interface Coverage {
  /** Counts the end of a command: an exit code or a signal. */
  count(action: string, end: string): void
  /** The counts as lines. */
  table(): string
}

export function createCoverage(): Coverage {
  const counts = new Map<string, Map<string, number>>()
  return {
    count(action, end) {
      const ends = counts.get(action) ?? new Map<string, number>()
      ends.set(end, (ends.get(end) ?? 0) + 1)
      counts.set(action, ends)
    },
    table: () =>
      [...counts]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([action, ends]) => {
          const parts = [...ends].sort().map(([end, count]) => `${end}: ${count}`)
          return `${action.padEnd(12)} ${parts.join(', ')}`
        })
        .join('\n'),
  }
}
