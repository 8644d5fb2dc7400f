import type {BatchCall} from '#lib/client/client.js'

/** One request of a verb that takes several. */
export interface Step {
  /** What was given for it. */
  readonly original: string
  readonly call: BatchCall
  /** What has to be done before. */
  readonly after?: Step
  /** It only prepares or completes another one, and is no result itself. */
  readonly isAside?: boolean
  /** The error where another process has used the ID of what it creates. */
  readonly ifTaken?: Error
}

/** What was given and cannot be done, with why. */
export interface BrokenStep {
  readonly original: string
  readonly error: unknown
}

export type AnyStep = Step | BrokenStep

/** The steps in rounds: each after those it needs, and as early as possible. */
export function roundsOf(steps: readonly AnyStep[]): AnyStep[][] {
  const rounds: AnyStep[][] = []
  const known = new Map<AnyStep, number>()
  const levelOf = (step: AnyStep): number => {
    const level = known.get(step) ?? ('error' in step || !step.after ? 0 : levelOf(step.after) + 1)
    known.set(step, level)
    return level
  }
  for (const step of steps) (rounds[levelOf(step)] ??= []).push(step)
  return rounds
}
