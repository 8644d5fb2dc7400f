/** Added to the interval after the first poll: a request that travels faster than the one before it must not count as too early. */
const MARGIN = 250
/** The longest pause that failures lead to. */
const LONGEST_BACKOFF = 60_000

/**
 * Milliseconds until the next poll, never less than the interval (spec: authorization.md,
 * Endpoints, rule 5); `undefined` when none fits before the codes expire. After each failed
 * connection in a row the pause doubles (RFC 8628, section 3.5).
 */
export function nextPollDelay(input: {
  /** Seconds. */
  readonly interval: number
  /** How often was asked so far. */
  readonly polls: number
  /** How many of the last polls in a row got no answer. */
  readonly failures: number
  /** Milliseconds until the codes expire. */
  readonly remaining: number
}): number | undefined {
  const {interval, polls, failures, remaining} = input
  const least = interval * 1000 + (polls > 0 ? MARGIN : 0)
  if (least > remaining) return undefined
  const wished = least * 2 ** Math.min(failures, 10)
  return Math.min(wished, Math.max(least, LONGEST_BACKOFF), remaining)
}
