import type {Context} from '#lib/cli/context/context.js'
import {type Failure, failureRecord} from '#lib/cli/explain/explain.js'
import {checkedPlan} from '#lib/cli/guard/policy-check.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {TransferProgress} from '#lib/cli/terminal/progress.js'
import {createCounter} from '#lib/cli/terminal/progress-bar.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import type {Outcome, Page} from '#lib/client/client.js'
import type {ProposedChange} from '#lib/policy/judge.js'
import type {Planned} from '#lib/transfer/many/queue.js'
import {sendMany} from '#lib/transfer/many/send-many.js'
import {endsAll, isRetryable} from '#lib/transfer/many/verdict.js'
import {createChangeResults} from './change-results.js'
import type {Checkpoint} from './checkpoint.js'
import {
  changeOfStep,
  failureBefore,
  isReady,
  isSent,
  labelOf,
  outcomeHere,
  plannedOf,
  roundsOf,
  type Step,
  withoutLast,
} from './plan.js'
import {createResults, createTally, type ResultsPlace, whileIdle} from './report.js'

/** The parts of a command that the engine uses. */
export interface Engine {
  readonly context: Context
  readonly results: ResultsPlace
  explain(error: unknown): Failure
  /** Its steps change nothing in the service. */
  readonly isReading?: boolean
}

export interface RunOptions {
  /** The number of steps, if known in advance. */
  readonly total?: number
  /** Maximum number of concurrent requests (default: adaptive). */
  readonly concurrency?: number
  /** Stop at the first failure. */
  readonly failFast?: boolean
  readonly checkpoint?: Checkpoint
  /** Shows transfers. */
  readonly progress?: TransferProgress
  /** The hint after a failure without a checkpoint. */
  readonly goOn?: string
  /** The words for the completed steps in the summary (default: `5 done`). */
  readonly doneText?: (done: number) => string
  /** The beginning of the error after problems (default: `2 of 5 items failed`); conflicts are then counted on their own. */
  readonly incompleteText?: string
  /** Counts results instead of printing them. */
  readonly account?: TreeTally
  /** The changes of a stream that can be read twice, so that the check of policies does not hold its steps. */
  readonly changes?: () => AsyncIterable<ProposedChange>
  /** Prints the response of a plan with a single result, instead of a list. */
  readonly printOne?: (response: Page | undefined) => Promise<void>
}

/** Counts the results of a large plan, whose steps end in any order and can be retried. */
export interface TreeTally {
  done(step: Step, record: Page | undefined): void
  failed(step: Step, message: string, error: unknown): void
  /** The word before the message of a failure (default: `Failed`). */
  nameFailure?(error: unknown): string | undefined
  /** The step was skipped. */
  skipped(step: Step, reason: string): void
  /** Prints the summary; throws `CommandError('partial')` if a step failed. */
  conclude(): Promise<void>
}

type Ended = readonly [step: Step, outcome: Outcome]

/**
 * Runs a plan: sends independent steps in batches and concurrently, and reports each in the order of the
 * plan. Throws `PolicyError` before the first step, `CommandError('partial')` if some steps failed, the error of a single failed result, and
 * errors that end the whole run.
 */
export async function runPlan(
  {context, results: place, explain, isReading}: Engine,
  given: readonly Step[] | AsyncIterable<Step>,
  options: RunOptions,
): Promise<void> {
  const {total, failFast = false, checkpoint, progress, goOn, doneText, incompleteText} = options
  const {printOne, account} = options
  const client = await context.client()
  const retrying = await context.retrying()
  const plan = isReading ? given : await checkedPlan(context, given, changeOfStep, options.changes)
  const isOnly = printOne !== undefined && total === 1
  const counter = createCounter(context, total)
  const wipe = () => {
    counter.wipe()
    progress?.wipe()
  }
  const show = async (text: string) => {
    wipe()
    await place.show(text)
  }
  const {isProse = false} = place
  const results = isProse ? createChangeResults(show, context) : createResults({...place, show})
  const isCounted = isOnly || account !== undefined
  /** The steps of the current round that are sent and not finished, by index. */
  const pending = new Map<number, Step>()
  // A single step needs no summary.
  const tally = createTally(isCounted ? {...context, ...SILENT} : context, {
    total,
    failFast,
    checkpoint,
    goOn,
    doneText,
    incompleteText,
    isProse,
    hasPending: () => pending.size > 0,
  })
  const failures: unknown[] = []
  let done = 0

  const ended = new WeakMap<Step, Outcome>()
  /** Whether a failure counts as a conflict. */
  const isConflict = ({code}: Failure) => incompleteText !== undefined && code === 'conflict'
  /** Called when a step has ended. */
  let onEnded = () => {}

  /** Resolves when everything that a step waits for has ended. */
  async function untilReady(step: Step): Promise<void> {
    while (!isReady(step, ended)) await new Promise<void>(resolve => (onEnded = resolve))
  }

  function end(step: Step, outcome: Outcome): Ended {
    ended.set(step, outcome)
    for (const gate of step.opens ?? []) {
      gate.awaited -= 1
      if ('error' in outcome) gate.failure ??= outcome
    }
    onEnded()
    return [step, outcome]
  }

  /** Sends steps, each after the one it depends on; yields their results. */
  async function* sendRound(round: Iterable<Step> | AsyncIterable<Step>): AsyncGenerator<Ended> {
    let index = 0
    async function* planned(): AsyncGenerator<Planned> {
      for await (const step of round) {
        if (step.isDone) {
          tally.skipped(1)
          continue
        }
        if (!isReady(step, ended)) {
          yield {isFlush: true}
          await untilReady(step)
        }
        const failure = failureBefore(step, ended)
        const next: Planned = failure
          ? {error: dependencyFailed(failure.error, isConflict(explain(failure.error)))}
          : plannedOf(step)
        if (account && !isSent(step) && !failure) {
          await report(end(step, outcomeHere(step)))
          continue
        }
        pending.set(index, step)
        index += 1
        yield next
      }
    }
    const {concurrency} = options
    const {signal, onRefusal} = context
    const answers = sendMany(planned(), {
      client,
      retrying,
      signal,
      concurrency,
      failFast,
      onRefusal,
      ...(account && {isUnordered: true, openAhead: client.openAhead}),
    })
    for await (const outcome of whileIdle(answers, () => results.flush())) {
      const step = pending.get(outcome.index)!
      pending.delete(outcome.index)
      const isRefused = 'error' in outcome && !('error' in step)
      yield end(step, isRefused && step.recover ? await step.recover(outcome.error) : outcome)
    }
  }

  /** Like `sendRound`; retries steps with retryable failures once. */
  async function* sendTwice(steps: Iterable<Step> | AsyncIterable<Step>): AsyncGenerator<Ended> {
    const again: Step[] = []
    for await (const [step, outcome] of sendRound(steps)) {
      if ('error' in outcome && isRetryable(outcome.error)) again.push(step)
      else yield [step, outcome]
    }
    for (const step of again) ended.delete(step)
    yield* sendRound(again)
  }

  /** Yields the result of each step; for an array, in the order of the plan. */
  async function* send(): AsyncGenerator<Ended> {
    if (!Array.isArray(plan)) {
      const last: Step[] = []
      const stream = withoutLast(plan as AsyncIterable<Step>, last)
      yield* account ? sendTwice(stream) : sendRound(stream)
      if (failures.length === 0) yield* sendTwice(last)
      else for (const step of last) account?.skipped(step, step.afterAll!)
      return
    }
    const steps = plan as readonly Step[]
    let reported = 0
    for (const round of roundsOf(steps)) {
      if (failFast && failures.length > 0) return
      for await (const _ of sendRound(round)) {
        for (; reported < steps.length; reported++) {
          const next = steps[reported]!
          const known = next.isDone ? undefined : ended.get(next)
          if (known) yield [next, known]
          else if (!next.isDone) break
        }
      }
    }
  }

  function count(account: TreeTally, [step, outcome]: Ended): void {
    if (!('error' in outcome)) {
      step.onDone?.()
      if ('isUnchanged' in step && step.reason) account.skipped(step, step.reason)
      else account.done(step, outcome.record)
    } else if (!context.signal.aborted && !endsAll(outcome.error)) {
      const {message} = explain(outcome.error)
      failures.push(outcome.error)
      wipe()
      const word = account.nameFailure?.(outcome.error) ?? 'Failed'
      context.io.say(`${word}: ${problemLine(labelOf(step), message)}`)
      account.failed(step, message, outcome.error)
    }
  }

  async function report([step, outcome]: Ended): Promise<void> {
    if (account) count(account, [step, outcome])
    else if ('error' in outcome) {
      const failure = explain(outcome.error)
      failures.push(outcome.error)
      const isConflicting = isConflict(failure)
      tally.failed(isConflicting)
      // For programs, the error is part of the results.
      const isAmongResults = place.output.isStructured && !printOne
      if (!isAmongResults && !isOnly) {
        wipe()
        const word = isConflicting ? 'Conflict' : 'Failed'
        context.io.say(`${word}: ${problemLine(labelOf(step), failure.message)}`)
      }
      if (!printOne) await results.add(step, {error: failureRecord(failure)})
    } else {
      if (step.key !== undefined) await checkpoint?.done(step.key)
      tally.done()
      done += 1
      if (step.isAside) return
      step.onDone?.()
      const answer = step.rowOf ? step.rowOf(outcome.record) : outcome.record
      wipe()
      if (printOne) await printOne(answer)
      else await results.add(step, {answer})
    }
    // Transfers have their own progress bar.
    if (!('work' in step) && !account) counter.show(tally.ended())
  }

  try {
    for await (const ended of send()) await report(ended)
  } finally {
    progress?.end()
    wipe()
    if (!printOne && !account) await results.end()
  }
  // Run even if another step failed.
  await context.told()
  if (account) return account.conclude()
  if (printOne && done === 0 && failures.length > 0) throw failures[0]
  tally.conclude()
}

/** Without messages, for an account that prints its own. */
const SILENT = {note: () => undefined, onInterrupt: () => undefined, onEnd: () => undefined}

function dependencyFailed(cause: unknown, isConflict: boolean): CommandError {
  const error = new CommandError(
    isConflict ? 'conflict' : 'failed',
    'A step that it depends on was not carried out.',
    'Run the same command again.',
  )
  return Object.assign(error, {cause})
}
