import {setImmediate} from 'node:timers/promises'
import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import type {Layout, ListText, OutputFormat, Row} from '#lib/cli/output/format.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {count, timeText} from '#lib/cli/terminal/units.js'
import {recordsOf} from '#lib/client/pages.js'
import type {Step} from './plan.js'
import type {Printer} from './printer.js'

/** The result of one item: the response, if any, or the error as a record. */
export type Result = {readonly answer: Row | undefined} | {readonly error: Row}

/** The output for results. */
export interface ResultsPlace {
  readonly output: OutputFormat
  /** Print sentences about changes instead of rows. */
  readonly isProse?: boolean
  /** Each response is a list; each of its records is a row. */
  readonly isOfLists: boolean
  text(): ListText
  /** Completes records for printing. */
  prepared(records: readonly Row[]): Promise<readonly Row[]>
  show(text: string): Promise<void>
}

/** The output of a printer for steps with one result each; with `isProse`, as sentences. `layout` is called when rows are printed. */
export function printerResults(
  printer: Printer,
  layout: () => Layout,
  isProse = false,
): ResultsPlace {
  const {output} = printer
  return {
    output,
    isProse,
    isOfLists: false,
    text: () => (output.array ?? output.list)(layout()),
    prepared: printer.prepare,
    show: isProse ? printer.printProse : printer.show,
  }
}

/** Prints the results of many items as they arrive. */
export interface Results {
  add(step: Pick<Step, 'original' | 'change'>, result: Result): Promise<void>
  /** Prints buffered results, unless the format needs more of them. */
  flush(): Promise<void>
  end(): Promise<void>
}

/** The maximum number of results printed at once, unless the format sets another. */
const PIECE = 100

/** Prints complete records `{input, result}` or `{input, error}` for programs; otherwise one row per record. */
export function createResults({output, isOfLists, text, prepared, show}: ResultsPlace): Results {
  const {rows, end, pieceSize} = text()
  let buffered: Array<readonly [input: unknown, result: Result]> = []

  async function write(): Promise<void> {
    const some = buffered
    buffered = []
    if (some.length === 0) return
    const answers = some.flatMap(([, result]) =>
      'answer' in result && result.answer ? [result.answer] : [],
    )
    if (!output.isStructured) {
      const records = isOfLists ? answers.flatMap(recordsOf) : answers
      if (records.length > 0) await show(await rows(await prepared(records)))
      return
    }
    const whole = await wholes(answers)
    const records = some.map(([input, result]): Row => {
      if ('error' in result) return {input, error: result.error}
      return {input, result: result.answer ? whole.shift() : {}}
    })
    await show(await rows(records))
  }

  /** Completes responses for programs; for lists, completes their records. */
  async function wholes(answers: readonly Row[]): Promise<Row[]> {
    if (!isOfLists) return [...(await prepared(answers))]
    return Promise.all(
      answers.map(async answer => ({...answer, items: await prepared(recordsOf(answer))})),
    )
  }

  return {
    async add({original}, result) {
      buffered.push([original, result])
      if (buffered.length >= (pieceSize ?? PIECE)) await write()
    },
    async flush() {
      if (pieceSize === undefined) await write()
    },
    async end() {
      await write()
      if (end) await show(await end({}))
    },
  }
}

interface Counted {
  /** The number of items, if known. */
  readonly total?: number
  readonly failFast: boolean
  /** Set if a checkpoint records completed items. */
  readonly checkpoint?: unknown
  /** The hint after a failure without a checkpoint. */
  readonly goOn?: string
  /** The words for the completed items in the summary (default: `5 done`). */
  readonly doneText?: (done: number) => string
  /** The beginning of the error after problems (default: `2 of 5 items failed`). */
  readonly incompleteText?: string
  /** The results are sentences about the changes. */
  readonly isProse?: boolean
  /** Requests are in progress. */
  readonly hasPending: () => boolean
}

/** Counts results, and prints the summary at the end or on interruption. */
export function createTally(
  context: Pick<Context, 'now' | 'note' | 'onInterrupt' | 'onEnd'>,
  {
    total,
    failFast,
    checkpoint,
    goOn,
    doneText,
    incompleteText,
    isProse = false,
    hasPending,
  }: Counted,
) {
  const started = context.now()
  let done = 0
  let failed = 0
  let conflicts = 0
  let before = 0
  let isPrinted = false
  const left = () => (total === undefined ? undefined : total - done - failed - before)

  function summary(): string {
    const time = ` in ${timeText(context.now() - started)}`
    const problems = problemTexts({conflicts, failed: failed - conflicts})
    const text = doneText
      ? [doneText(done) + time, problems.join(', ')].filter(Boolean)
      : [[`${done} done`, ...problems].join(', ') + time]
    const others = [
      ...(left() ? [`${left()} not started`] : []),
      ...(before > 0 ? [`${before} done earlier`] : []),
    ]
    return `${[...text, ...others].join('; ')}.`
  }

  const printSummary = (prefix: string) => {
    if (!isPrinted) context.note(prefix + summary())
    isPrinted = true
  }

  const again = checkpoint
    ? 'Run the same command again to resume.'
    : (goOn ?? 'Pass --checkpoint FILE to make the command resumable.')
  context.onInterrupt(() => {
    if (done + failed === 0 && !hasPending()) return NOTHING_DONE
    const words = [
      `${done} done`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(hasPending() ? ['the state of the requests in progress is unknown'] : []),
      'the rest not started',
    ]
    return {words: words.join(', '), hint: again}
  })
  context.onEnd(() => {
    if (done + failed > 0) printSummary('Stopped early: ')
  })

  return {
    done: () => void (done += 1),
    failed(isConflict = false) {
      failed += 1
      if (isConflict) conflicts += 1
    },
    skipped: (number: number) => void (before += number),
    ended: () => done + failed + before,
    /** Prints the summary; throws `CommandError('partial')` if an item failed. */
    conclude(): void {
      const isNothing = done + failed + before === 0
      if (isNothing || (isProse && before === 0)) isPrinted = true
      printSummary(failFast && failed > 0 ? 'Stopped at the first failure: ' : '')
      if (failed === 0) return
      if (incompleteText !== undefined) {
        throw incompleteError(incompleteText, {conflicts, failed: failed - conflicts}, again)
      }
      const open = failFast ? (left() ?? 0) : 0
      const items = `${failed} of ${count(done + failed + open, 'item')} failed`
      const was = (number: number) => (number === 1 ? 'was' : 'were')
      const rest =
        done === 0
          ? 'none succeeded'
          : failFast
            ? `${done} ${was(done)} done`
            : 'the rest succeeded'
      const words = [
        done === 0 && open > 0 ? '' : rest,
        open > 0 ? `${open} ${was(open)} not started` : '',
      ]
      throw new CommandError(
        'partial',
        `${[items, words.filter(Boolean).join(', ')].join('; ')}.`,
        again,
      )
    },
  }
}

/** The number of problems of each kind. */
export interface ProblemCounts {
  readonly conflicts: number
  /** Without conflicts. */
  readonly failed: number
}

/** The problems in words: `2 conflicts`, `1 failed`. */
export function problemTexts({conflicts, failed}: ProblemCounts): string[] {
  return [
    ...(conflicts > 0 ? [count(conflicts, 'conflict')] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ]
}

/** The error of a run with problems: a conflict if all of them are conflicts. */
export function incompleteError(text: string, counts: ProblemCounts, hint: string): CommandError {
  const exit = counts.failed === 0 ? 'conflict' : 'partial'
  return new CommandError(exit, `${text}: ${problemTexts(counts).join(', ')}.`, hint)
}

/** Iterates over a source, and calls `idle` whenever the next item is not available yet. */
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
