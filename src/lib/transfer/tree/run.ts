import {setMaxListeners} from 'node:events'
import {classifyFailure} from '#lib/client/retry/policy.js'
import type {OnProgress} from '#lib/transfer/types.js'
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
  /** Hears that the transfer of a file begins, and gives who hears of its bytes and its end. */
  readonly begin: (path: string) => {readonly onProgress: OnProgress; end(): void}
}

/** Does `work` for one file, and tells how it goes on. */
export async function watched<T>(
  {begin}: Run,
  path: string,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const {onProgress, end} = begin(path)
  try {
    return await work(onProgress)
  } finally {
    end()
  }
}

/**
 * Does `work` for each step. What fails is written down and the rest goes on, unless the error
 * concerns all of them: then everything that runs is told to stop, and the error is thrown. What
 * may have failed for a reason that passes is tried once more when the rest is done.
 */
export async function runSteps<S extends {readonly path: string}>(
  steps: Iterable<S>,
  {pool, ledger, signal, explain}: Run,
  work: (step: S, signal: AbortSignal) => Promise<void>,
  isRepeatable: (step: S) => boolean = () => true,
): Promise<void> {
  const judge = createJudge()
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  // Each transfer listens, and there may be many.
  setMaxListeners(0, both)
  const round = async (some: Iterable<S>, onFailure: (step: S, error: unknown) => void) =>
    pool.each(some, async step => {
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
        onFailure(step, error)
      }
    })
  const fail = ({path}: S, error: unknown) => ledger.fail(path, explain(error))
  const again: S[] = []
  await round(steps, (step, error) => {
    if (isRepeatable(step) && mayPass(error)) again.push(step)
    else fail(step, error)
  })
  await round(again, fail)
}

/** Whether the reason of an error, or what it goes back to, is one that passes. */
function mayPass(error: unknown): boolean {
  const {cause} = error as Error
  return classifyFailure(error).kind !== 'final' || classifyFailure(cause).kind !== 'final'
}

/** Writes down the steps with which nothing is to be done. */
export function recordNotes(steps: readonly Note[], ledger: Ledger): void {
  for (const step of steps) {
    if (step.action === 'same') ledger.count('unchanged')
    else if (step.action === 'skip') ledger.skip(step.path, step.reason)
    else if (step.action === 'fail') ledger.fail(step.path, step.reason)
  }
}
