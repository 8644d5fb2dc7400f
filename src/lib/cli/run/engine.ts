import {setImmediate} from 'node:timers/promises'
import type {Context} from '#lib/cli/context/context.js'
import {type Failure, failureRecord} from '#lib/cli/explain/explain.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import type {TransferProgress} from '#lib/cli/terminal/progress.js'
import {createCounter} from '#lib/cli/terminal/progress-bar.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import type {Outcome, Page} from '#lib/client/client.js'
import type {Planned} from '#lib/transfer/many/queue.js'
import {sendMany} from '#lib/transfer/many/send-many.js'
import {createChangeResults} from './change-results.js'
import type {Checkpoint} from './checkpoint.js'
import {labelOf, plannedOf, roundsOf, type Step} from './plan.js'
import {createResults, createTally, type ResultsPlace} from './report.js'

/** The parts of a command that carrying out a plan needs. */
export interface Engine {
  readonly context: Context
  readonly results: ResultsPlace
  explain(error: unknown): Failure
}

export interface RunOptions {
  /** The number of steps, where it is known before they all have come. */
  readonly total?: number
  /** Requests at a time; by default as many as the service keeps up with. */
  readonly concurrency?: number
  /** Starts nothing new after the first failure. */
  readonly failFast?: boolean
  readonly checkpoint?: Checkpoint
  /** Shows content on its way. */
  readonly progress?: TransferProgress
  /** How a person goes on after a failure, where no checkpoint says so. */
  readonly goOn?: string
  /** Prints the response of a plan with a single result, in place of a list of results. */
  readonly printOne?: (response: Page | undefined) => Promise<void>
}

type Ended = readonly [step: Step, outcome: Outcome]

/**
 * Carries out a plan: sends its steps, those that need nothing of each other in batches and side by
 * side, and reports each in the order of the plan. Throws `CommandError('partial')` when some steps
 * failed, the error of a single result that failed, and whatever ends the whole run, such as a
 * refused token.
 */
export async function runPlan(
  {context, results: place, explain}: Engine,
  plan: readonly Step[] | AsyncIterable<Step>,
  options: RunOptions,
): Promise<void> {
  const {total, failFast = false, checkpoint, progress, goOn, printOne} = options
  const client = await context.client()
  const retrying = await context.retrying()
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
  const results = isProse
    ? createChangeResults(show, context.io.color)
    : createResults({...place, show})
  /** The steps of the present round that were sent and not answered, by their number. */
  const underWay = new Map<number, Step>()
  // A single step needs no count of what was done.
  const tally = createTally(isOnly ? {...context, note() {}} : context, {
    total,
    failFast,
    checkpoint,
    goOn,
    isProse,
    isUnderWay: () => underWay.size > 0,
  })
  const failures: unknown[] = []
  let done = 0

  /** Sends steps that need nothing of each other; gives what came of each in their order. */
  async function* sendRound(
    round: Iterable<Step> | AsyncIterable<Step>,
    before: ReadonlyMap<Step, Outcome>,
  ): AsyncGenerator<Ended> {
    let index = 0
    async function* planned(): AsyncGenerator<Planned> {
      for await (const step of round) {
        if (step.isDone) {
          tally.skipped(1)
          continue
        }
        underWay.set(index, step)
        index += 1
        yield hasFailed(step.after, before) ? {error: dependencyFailed()} : plannedOf(step)
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
    })
    for await (const outcome of whileIdle(answers, () => results.flush())) {
      const step = underWay.get(outcome.index)!
      underWay.delete(outcome.index)
      const isRefused = 'error' in outcome && !('error' in step)
      yield [step, isRefused && step.recover ? await step.recover(outcome.error) : outcome]
    }
  }

  /** Gives what came of each step in the order of the plan. */
  async function* send(): AsyncGenerator<Ended> {
    if (!Array.isArray(plan)) {
      yield* sendRound(plan as AsyncIterable<Step>, new Map())
      return
    }
    const steps = plan as readonly Step[]
    const outcomes = new Map<Step, Outcome>()
    let reported = 0
    for (const round of roundsOf(steps)) {
      if (failFast && failures.length > 0) return
      for await (const [step, outcome] of sendRound(round, outcomes)) {
        outcomes.set(step, outcome)
        for (; reported < steps.length; reported++) {
          const next = steps[reported]!
          const known = next.isDone ? undefined : outcomes.get(next)
          if (known) yield [next, known]
          else if (!next.isDone) break
        }
      }
    }
  }

  async function report([step, outcome]: Ended): Promise<void> {
    if ('error' in outcome) {
      const failure = explain(outcome.error)
      failures.push(outcome.error)
      tally.failed()
      // Programs find it among the results.
      const isAmongResults = place.output.isStructured && !printOne
      if (!isAmongResults && !isOnly) {
        wipe()
        context.io.say(`Failed: ${problemLine(labelOf(step), failure.message)}`)
      }
      if (!printOne) await results.add(step, {error: failureRecord(failure)})
    } else {
      if (step.key !== undefined) await checkpoint?.done(step.key)
      tally.done()
      done += 1
      if (step.isAside) return
      const answer = step.rowOf ? step.rowOf(outcome.record) : outcome.record
      wipe()
      if (printOne) await printOne(answer)
      else await results.add(step, {answer})
    }
    // Content on its way has a display of its own.
    if (!('work' in step)) counter.show(tally.ended())
  }

  try {
    for await (const ended of send()) await report(ended)
  } finally {
    progress?.end()
    wipe()
    if (!printOne) await results.end()
  }
  // What was done is on record by now, even where another step failed.
  await context.told()
  if (printOne && done === 0 && failures.length > 0) throw failures[0]
  tally.conclude()
}

function hasFailed(step: Step | undefined, outcomes: ReadonlyMap<Step, Outcome>): boolean {
  const outcome = step && outcomes.get(step)
  return outcome !== undefined && 'error' in outcome
}

function dependencyFailed(): CommandError {
  return new CommandError(
    'failed',
    'Skipped: a step that it depends on failed.',
    'Run the same command again.',
  )
}

/** The same, with `idle` called whenever nothing is at hand. */
export async function* whileIdle<T>(
  source: AsyncIterable<T>,
  idle: () => Promise<void>,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  for (;;) {
    const next = iterator.next()
    const isHere = await Promise.race([next.then(() => true), setImmediate(false)])
    if (!isHere) await idle()
    const {done, value} = await next
    if (done) return
    yield value
  }
}
