import type {Page} from '#lib/client/client.js'
import type {Planned} from '#lib/transfer/many/types.js'
import {sendMany} from '#lib/transfer/many/many.js'
import type {Context} from '#lib/cli/context/context.js'
import {failureRecord, type Failure} from '#lib/cli/explain/explain.js'
import {createResults, type ResultsPlace} from '#lib/cli/run/results.js'
import {createTally} from '#lib/cli/run/tally.js'
import {createCounter} from '#lib/cli/terminal/counter.js'
import type {Row} from '#lib/cli/output/format.js'
import {problemLine} from '#lib/cli/terminal/units.js'

/** What is done for one file and one person. */
export interface Task {
  readonly file: string
  readonly who: string
  /** Without anything to send it is done already. */
  readonly planned: Planned | undefined
  /** What is told of it. */
  readonly record: (answer: Page | undefined) => Row
  /** The error in words that say more, where there are any. */
  readonly retold?: (error: unknown) => Promise<unknown>
}

export interface Doing {
  readonly context: Context
  readonly results: ResultsPlace
  /** Writes the record of the only one. */
  readonly tellOne: (record: Row) => Promise<void>
  readonly explain: (error: unknown) => Failure
}

/**
 * Does all tasks, those of one file one after the other, and says what came of each in their order.
 * Throws the error of an only one, and `CommandError('partial')` when some of many failed.
 */
export async function carryOut(doing: Doing, tasks: readonly Task[]): Promise<void> {
  const {context} = doing
  const [only, another] = tasks
  const client = await context.client()
  const {signal, onRefusal} = context
  const retrying = await context.retrying()
  async function* planned() {
    for (const {planned} of tasks) yield planned ?? {work: async () => undefined}
  }
  const outcomes = sendMany(planned(), {client, retrying, signal, onRefusal})
  if (only && !another) {
    for await (const outcome of outcomes) {
      if ('error' in outcome) throw (await only.retold?.(outcome.error)) ?? outcome.error
      await doing.tellOne(only.record(outcome.record))
    }
    return context.told()
  }
  await carryOutMany(doing, tasks, outcomes)
}

async function carryOutMany(
  {context, results: place, explain}: Doing,
  tasks: readonly Task[],
  outcomes: ReturnType<typeof sendMany>,
): Promise<void> {
  const counter = createCounter(context, tasks.length)
  const show = async (text: string) => {
    counter.wipe()
    await place.show(text)
  }
  const results = createResults({...place, show})
  const tally = createTally(context, {
    total: tasks.length,
    failFast: false,
    isUnderWay: () => true,
  })
  try {
    for await (const outcome of outcomes) {
      const {file, who, record, retold} = tasks[outcome.index]!
      const original = {file, who}
      if ('error' in outcome) {
        const failure = explain((await retold?.(outcome.error)) ?? outcome.error)
        tally.failed()
        if (!place.output.isStructured) {
          counter.wipe()
          context.io.say(`Failed: ${problemLine(`${file} ${who}`, failure.message)}`)
        }
        await results.add({original}, {error: failureRecord(failure)})
      } else {
        tally.done()
        await results.add({original}, {answer: record(outcome.record)})
      }
      counter.show(tally.ended())
    }
  } finally {
    counter.wipe()
    await results.end()
  }
  await context.told()
  tally.conclude()
}
