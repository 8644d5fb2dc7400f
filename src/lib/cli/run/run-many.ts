import {setImmediate} from 'node:timers/promises'
import type {BatchCall, CallInput, Outcome} from '#lib/client/client.js'
import {inGroups} from '#lib/platform/groups.js'
import {sendMany} from '#lib/transfer/many/many.js'
import type {Planned} from '#lib/transfer/many/types.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {failureRecord} from '#lib/cli/explain/explain.js'
import {createLookups} from '#lib/cli/input/lookups.js'
import {createCounter} from '#lib/cli/terminal/counter.js'
import type {TransferProgress} from '#lib/cli/terminal/progress.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import type {Checkpoint} from './checkpoint.js'
import type {Doer} from './item-runner.js'
import {nameOf} from '#lib/cli/input/item.js'
import {afterRefusal, withIds} from './idempotency.js'
import {type CheckedItem, checkedGroups, type ReadyItem, readyItems} from './prepare.js'
import {createResults} from './results.js'
import {GROUP, type ItemSource} from '#lib/cli/input/item-source.js'
import {createTally} from './tally.js'

/** How many things are done. */
export interface Manner {
  readonly concurrency?: number
  readonly failFast: boolean
  readonly checkpoint?: Checkpoint
  /** Shows content on its way. */
  readonly progress: TransferProgress
}

/** A thing that is sent, with its name in the checkpoint. */
interface Sent {
  readonly item: ReadyItem
  readonly name?: string
  readonly planned: Planned
}

/**
 * Does it for each thing of a source, in their order as far as anybody can see, and says what came of
 * each. Throws `CommandError('partial')` when some failed, and what ends everything.
 */
export async function runMany(doer: Doer, source: ItemSource, manner: Manner): Promise<void> {
  const {context} = doer
  const {checkpoint, progress} = manner
  const groups = await checkedGroups(doer, source)
  const lookups = createLookups(context)
  if (Array.isArray(groups)) await askForAll(groups.flat())
  const client = await context.client()
  const results = createResults({
    ...doer.results,
    async show(text) {
      clear()
      await doer.results.show(text)
    },
  })
  const counter = createCounter(context, source.count)
  /** By their number. */
  const waiting = new Map<number, Sent>()
  const isUnderWay = () => waiting.size > 0
  const tally = createTally(context, {...manner, total: source.count, isUnderWay})
  let planning = 0

  /** Asks once, about all of them. */
  async function askForAll(items: readonly CheckedItem[]): Promise<void> {
    const inputs = inputsOf(items)
    doer.refuseUnasked(inputs)
    if (!inputs.some(doer.mayDestroy)) return
    const ready: ReadyItem[] = []
    for (const some of inGroups(items, GROUP)) ready.push(...(await readyItems(some, lookups)))
    await doer.ask(ready.flatMap(item => ('error' in item ? [] : [item.input])))
  }

  function clear(): void {
    counter.wipe()
    progress.wipe()
  }

  async function* planned(): AsyncGenerator<Planned> {
    for await (const group of groups) {
      if (source.count === undefined) refuseUnanswered(doer, inputsOf(group))
      const named = group.map(item => ({
        item,
        name: 'error' in item ? undefined : checkpoint?.nameOf(item.given),
      }))
      const open = named.filter(({name}) => name === undefined || !checkpoint!.isDone(name))
      tally.skipped(named.length - open.length)
      const ready = await readyItems(
        open.map(({item}) => item),
        lookups,
      )
      const sent = ready.map((item, index): Sent => ({
        item,
        name: open[index]!.name,
        planned: plannedOf(doer, item),
      }))
      for (const one of await withIds(client, sent, checkpoint)) {
        waiting.set(planning, one)
        planning += 1
        yield one.planned
      }
    }
  }

  async function settle({item, name, planned}: Sent, first: Outcome): Promise<void> {
    const outcome = await afterRefusal(doer, lookups, item, first)
    if ('error' in outcome) {
      const failure = doer.explain(outcome.error)
      tally.failed()
      // Programs find it among the results.
      if (!doer.results.output.isStructured) {
        clear()
        context.io.say(`Failed: ${problemLine(nameOf(item), failure.message)}`)
      }
      await results.add(item, {error: failureRecord(failure)})
    } else {
      if (name !== undefined) await checkpoint!.done(name)
      tally.done()
      await results.add(item, {answer: outcome.record})
    }
    // What goes by itself is seen going.
    if (!('work' in planned)) counter.show(tally.ended())
  }

  try {
    const {concurrency, failFast} = manner
    const {signal} = context
    const retrying = await context.retrying()
    const sending = sendMany(planned(), {
      client,
      retrying,
      signal,
      concurrency,
      failFast,
      onRefusal: context.onRefusal,
    })
    for await (const outcome of withIdle(sending, () => results.flush())) {
      const sent = waiting.get(outcome.index)!
      waiting.delete(outcome.index)
      await settle(sent, outcome)
    }
  } finally {
    progress.end()
    clear()
    await results.end()
  }
  // What was done is told by now, even where something else failed.
  await context.told()
  tally.conclude()
}

/** What comes while other things are done can be asked about no more. */
function refuseUnanswered({mayDestroy}: Doer, inputs: readonly CallInput[]): void {
  if (!inputs.some(mayDestroy)) return
  throw new UsageError(
    'This destroys something, and what comes on standard input answers no question.',
    'Add --yes (-y), or see with --dry-run what it would do.',
  )
}

/** What is to be sent, but for the names in it. */
function inputsOf(items: readonly CheckedItem[]): CallInput[] {
  return items.flatMap(item => ('error' in item ? [] : [item.checked.input]))
}

/** What is to be sent for a thing. */
function plannedOf({operation, goesAlone, send}: Doer, item: ReadyItem): Planned {
  if ('error' in item) return {error: item.error}
  const {input, checked} = item
  if (goesAlone(checked.parsed)) return {work: () => send(input, checked.parsed)}
  const call: BatchCall = {id: operation.operationId, input}
  return {call}
}

/** The same, with `idle` called whenever there is nothing at hand. */
async function* withIdle<T>(
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
