import type {Client, Outcome, Page} from '#lib/client/client.js'
import {ServiceError} from '#lib/client/errors.js'
import {isIdTaken} from '#lib/client/readback.js'
import {isIdRefused} from '#lib/transfer/ids.js'
import {sendMany} from '#lib/transfer/many/many.js'
import type {Planned} from '#lib/transfer/many/types.js'
import {ALL_DRIVES, parentIds} from '#lib/transfer/remote/records.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {failureRecord} from '#lib/cli/explain/explain.js'
import {curlText} from '#lib/cli/guard/curl-text.js'
import type {Doer} from '#lib/cli/run/item-runner.js'
import {createResults} from '#lib/cli/run/results.js'
import {createTally} from '#lib/cli/run/tally.js'
import {createCounter} from '#lib/cli/terminal/counter.js'
import type {Row} from '#lib/cli/output/format.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import {recordOf} from './sources.js'
import {type AnyStep, type BrokenStep, roundsOf} from './steps.js'

/**
 * The everyday verbs live here: what a few words of a shell mean in the service, as requests. How
 * requests are sent belongs to `../../transfer/many`, and what is there is found in `../naming`.
 */

/** Hears what came of each step, in the order of the steps. */
type Hear = (step: AnyStep, outcome: Outcome) => Promise<void>

/** Sends the steps, those that need nothing of each other in batches. Throws what ends everything. */
async function sendSteps(
  {context}: Pick<Doer, 'context'>,
  steps: readonly AnyStep[],
  hear: Hear,
): Promise<void> {
  const client = await context.client()
  const {signal, onRefusal} = context
  const retrying = await context.retrying()
  const outcomes = new Map<AnyStep, Outcome>()
  let heard = 0
  for (const round of roundsOf(steps)) {
    const planned = async function* () {
      for (const step of round) yield plannedOf(step, outcomes)
    }
    const options = {client, retrying, signal, onRefusal}
    for await (const answered of sendMany(planned(), options)) {
      const step = round[answered.index]!
      outcomes.set(step, await afterRefusal(client, step, answered))
      for (; heard < steps.length; heard++) {
        const outcome = outcomes.get(steps[heard]!)
        if (!outcome) break
        await hear(steps[heard]!, outcome)
      }
    }
  }
}

/**
 * What came of a step that was refused, tried another way: without an ID where the service takes none
 * for what is to be made; and a move whose answer was lost is done where the file is in its place.
 */
async function afterRefusal(client: Client, step: AnyStep, outcome: Outcome): Promise<Outcome> {
  if (!('error' in outcome) || 'error' in step) return outcome
  const {id, input} = step.call
  try {
    if (step.ifTaken && isIdTaken(outcome.error)) return {error: step.ifTaken}
    if (isIdRefused(outcome.error)) {
      const {id: _, ...body} = input.body ?? {}
      return {record: await client.call(id, {...input, body})}
    }
    if (!isMoveRefused(outcome.error)) return outcome
    const {fileId, addParents, fields} = input.params
    const params = {fileId: fileId!, ...ALL_DRIVES}
    const {title, ...found} = await recordOf(client, String(fileId))
    const wanted = input.body?.title ?? title
    if (title !== wanted || !parentIds(found).includes(addParents)) return outcome
    return {
      record: await client.call('files.get', {
        params: {...params, ...(fields !== undefined && {fields})},
      }),
    }
  } catch (error) {
    return {error}
  }
}

/** Whether the file is not in the folder that it is to leave, or is in the one it is to get to. */
function isMoveRefused(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error.status !== 400) return false
  return ['addParents', 'removeParents'].includes(String(error.details.location))
}

function plannedOf(step: AnyStep, outcomes: ReadonlyMap<AnyStep, Outcome>): Planned {
  if ('error' in step) return step
  const before = step.after && outcomes.get(step.after)
  if (!before || !('error' in before)) return {call: step.call}
  const words = 'What has to be done before it failed.'
  return {error: new CommandError('failed', words, 'Run the same command again.')}
}

/**
 * Does all steps, says what came of each in their order, and how many there were. Where they make up
 * one thing, `tellOne` gets its answer. Throws `CommandError('partial')` when some failed, the error of
 * one thing of which nothing was done, and what ends everything.
 */
export async function carryOut(
  doer: Doer,
  steps: readonly AnyStep[],
  tellOne?: (answer: Page | undefined) => Promise<void>,
): Promise<void> {
  const {context, results: place} = doer
  const isForAll = place.output.isStructured && !tellOne
  const counter = createCounter(context, steps.length)
  const results = createResults({
    ...place,
    async show(text) {
      counter.wipe()
      await place.show(text)
    },
  })
  let isBegun = false
  // Of one alone there is nothing to count.
  const teller = steps.length === 1 ? {...context, note() {}} : context
  const tally = createTally(teller, {
    total: steps.length,
    failFast: false,
    goOn: 'See what is left, then run the command again for that.',
    isUnderWay: () => isBegun,
  })
  let done = 0
  const failures: unknown[] = []
  try {
    await sendSteps(doer, steps, async (step, outcome) => {
      isBegun = true
      counter.show(tally.ended() + 1)
      if ('error' in step || 'error' in outcome) {
        const {error} = 'error' in step ? step : (outcome as BrokenStep)
        const failure = doer.explain(error)
        failures.push(error)
        tally.failed()
        counter.wipe()
        if (!isForAll && steps.length > 1) tellFailure(doer, 'Failed', step, failure.message)
        if (!tellOne) await results.add(step, {error: failureRecord(failure)})
      } else {
        tally.done()
        done += 1
        if (step.isAside) return
        counter.wipe()
        if (tellOne) await tellOne(outcome.record)
        else await results.add(step, {answer: outcome.record})
      }
    })
  } finally {
    counter.wipe()
    if (!tellOne) await results.end()
  }
  if (tellOne && done === 0 && failures.length > 0) throw failures[0]
  tally.conclude()
}

/** Writes what would be sent for each step, and sends none of it. */
export async function showSteps(
  doer: Doer,
  steps: readonly AnyStep[],
  isCurl: boolean,
): Promise<void> {
  const {context, results} = doer
  const client = await context.client()
  const {rows, end} = results.text()
  const told: Row[] = []
  for (const step of steps) {
    const {original: input} = step
    if ('error' in step) {
      const failure = doer.explain(step.error)
      told.push({input, error: failureRecord(failure)})
      if (!results.output.isStructured) tellFailure(doer, 'Would fail', step, failure.message)
      continue
    }
    const request = client.prepare(step.call.id, step.call.input)
    told.push({input, request})
    if (!isCurl && !results.output.isStructured) await results.show(doer.showText(request))
  }
  if (isCurl) {
    const calls = steps.flatMap(step => ('error' in step ? [] : [step.call]))
    const lines = calls.map(({id, input}) => [id, input] as const)
    await results.show(await curlText(context, lines))
  } else if (results.output.isStructured) {
    await results.show(await rows(told))
    if (end) await results.show(await end({}))
  }
}

function tellFailure({context}: Doer, word: string, {original}: AnyStep, message: string): void {
  context.io.say(`${word}: ${problemLine(original, message)}`)
}
