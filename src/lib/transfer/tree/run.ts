import {createJudge, type Ledger} from './outcome.js'
import type {Pool} from './pool.js'
import type {Note} from './steps.js'

/** What a run over many items works with. */
export interface Run {
  readonly pool: Pool
  readonly ledger: Ledger
  readonly signal: AbortSignal
  /** What to tell of an error, in words. */
  readonly explain: (error: unknown) => string
}

/**
 * Does `work` for each step. What fails is written down and the rest goes on, unless the error
 * concerns all of them: then everything that runs is told to stop, and the error is thrown.
 */
export async function runSteps<S extends {readonly path: string}>(
  steps: Iterable<S>,
  {pool, ledger, signal, explain}: Run,
  work: (step: S, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const judge = createJudge()
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  await pool.each(steps, async step => {
    try {
      both.throwIfAborted()
      await work(step, both)
      judge.succeeded()
    } catch (error) {
      // What was stopped says nothing new.
      if (both.aborted) throw both.reason
      if (judge.failed(error)) {
        stop.abort(error)
        throw error
      }
      ledger.fail(step.path, explain(error))
    }
  })
}

/** Writes down the steps with which nothing is to be done. */
export function recordNotes(steps: readonly Note[], ledger: Ledger): void {
  for (const step of steps) {
    if (step.action === 'same') ledger.count('unchanged')
    else if (step.action === 'skip') ledger.skip(step.path, step.reason)
    else if (step.action === 'fail') ledger.fail(step.path, step.reason)
  }
}
