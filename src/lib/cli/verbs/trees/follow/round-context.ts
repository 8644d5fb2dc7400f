import type {Context} from '#lib/cli/context/context.js'

/** A context for the rounds of a follower. */
export interface RoundContext {
  readonly context: Context
  /** Forgets the callbacks of the last round, which hold its plan in memory. */
  endRound(): void
}

export function roundContext(context: Context): RoundContext {
  let callbacks: Array<() => void> = []
  context.onRefusal(() => {
    for (const hear of callbacks) hear()
  })
  return {
    context: {...context, onRefusal: hear => void callbacks.push(hear)},
    endRound() {
      callbacks = []
    },
  }
}
