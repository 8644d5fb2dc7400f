import type {Outcome} from '#lib/client/client.js'
import type {Answered} from './types.js'

/** What came of things, kept until it can be given in their order. */
export function createOrder() {
  const outcomes = new Map<number, Outcome>()
  /** What was sent and is not done, with what the last attempt failed with. */
  const open = new Map<number, unknown>()
  let given = 0
  return {
    /** How many were given. */
    given: () => given,
    sent: (index: number) => void open.set(index, open.get(index)),
    /** It was not sent after all. */
    unsent: (index: number) => void open.delete(index),
    failed: (index: number, error: unknown) => void open.set(index, error),
    settle(index: number, outcome: Outcome): void {
      open.delete(index)
      outcomes.set(index, outcome)
    },
    /** The next one, where it is there. */
    take(): Answered | undefined {
      const outcome = outcomes.get(given)
      if (!outcome) return undefined
      outcomes.delete(given)
      return {...outcome, index: given++}
    },
    /** All that are there, and those that were sent, with `error` where none is known. */
    rest(error: unknown): Answered[] {
      for (const [index, last] of open) outcomes.set(index, {error: last ?? error})
      const rest = [...outcomes].sort(([one], [other]) => one - other)
      return rest.map(([index, outcome]) => ({...outcome, index}))
    },
  }
}
