/** Counts which commands ended how and which failures struck, so that a simulation that reaches nothing is noticed. */
export interface Coverage {
  /** Counts the end of a command: an exit code or a signal. */
  count(action: string, end: string): void
  /** Counts a failure of the service or of a machine. */
  strike(kind: string): void
  /** The counts as lines, and what never happened. */
  table(expected: {readonly actions: readonly string[]; readonly faults: readonly string[]}): string
}

/** Topics whose commands have two words. */
const TOPICS = ['auth', 'files', 'permissions', 'properties']

/** The name under which a command is counted, such as `push` or `files insert`. */
export const commandName = (argv: readonly string[]) =>
  argv.slice(0, TOPICS.includes(argv[0]!) ? 2 : 1).join(' ')

export function createCoverage(): Coverage {
  const actions = new Map<string, Map<string, number>>()
  const strikes = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string) =>
    counts.set(key, (counts.get(key) ?? 0) + 1)
  const parts = (counts: ReadonlyMap<string, number>) =>
    [...counts]
      .sort()
      .map(([key, count]) => `${key}: ${count}`)
      .join(', ')
  return {
    count(action, end) {
      const ends = actions.get(action) ?? new Map<string, number>()
      add(ends, end)
      actions.set(action, ends)
    },
    strike: kind => void add(strikes, kind),
    table(expected) {
      const ends = new Map<string, number>()
      for (const counts of actions.values()) {
        for (const [end, count] of counts) ends.set(end, (ends.get(end) ?? 0) + count)
      }
      const idle = expected.actions.filter(name => !actions.has(name))
      const harmless = expected.faults.filter(kind => !strikes.has(kind))
      return [
        ...[...actions].sort().map(([name, counts]) => `${name.padEnd(18)} ${parts(counts)}`),
        `Exit codes and signals: ${parts(ends)}`,
        `Failures: ${parts(strikes)}`,
        ...(idle.length > 0 ? [`Never run: ${idle.join(', ')}`] : []),
        ...(harmless.length > 0 ? [`Failures that never struck: ${harmless.join(', ')}`] : []),
      ].join('\n')
    },
  }
}
