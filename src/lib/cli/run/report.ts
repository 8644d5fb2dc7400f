import type {Context} from '#lib/cli/context/context.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import type {ListText, OutputFormat, Row} from '#lib/cli/output/format.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {count, timeText} from '#lib/cli/terminal/units.js'
import {recordsOf} from '#lib/client/pages.js'
import type {Step} from './plan.js'

/** What came of one thing: the answer, none, or the error as programs read it. */
export type Result = {readonly answer: Row | undefined} | {readonly error: Row}

/** Where results are written. */
export interface ResultsPlace {
  readonly output: OutputFormat
  /** People are told what was changed, in place of a row for each result. */
  readonly isProse?: boolean
  /** The answer is a list: each of its records is a row. */
  readonly isOfLists: boolean
  text(): ListText
  /** Records as they are written. */
  prepared(records: readonly Row[]): Promise<readonly Row[]>
  show(text: string): Promise<void>
}

/** Writes the results of many things as they come. */
export interface Results {
  add(step: Pick<Step, 'original' | 'change'>, result: Result): Promise<void>
  /** Writes what was gathered, where the format does not wait for more. */
  flush(): Promise<void>
  end(): Promise<void>
}

/** As many results as are written together at most, unless the format takes more. */
const PIECE = 100

/**
 * Whole records for programs, `{input, result}` or `{input, error}`, of which nothing is left out; else
 * a row for each record that came.
 */
export function createResults({output, isOfLists, text, prepared, show}: ResultsPlace): Results {
  const {rows, end, pieceSize} = text()
  let gathered: Array<readonly [input: unknown, result: Result]> = []

  async function write(): Promise<void> {
    const some = gathered
    gathered = []
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
    const told = some.map(([input, result]): Row => {
      if ('error' in result) return {input, error: result.error}
      return {input, result: result.answer ? whole.shift() : {}}
    })
    await show(await rows(told))
  }

  /** Answers as programs get them: of lists it is the records that have columns. */
  async function wholes(answers: readonly Row[]): Promise<Row[]> {
    if (!isOfLists) return [...(await prepared(answers))]
    return Promise.all(
      answers.map(async answer => ({...answer, items: await prepared(recordsOf(answer))})),
    )
  }

  return {
    async add({original}, result) {
      gathered.push([original, result])
      if (gathered.length >= (pieceSize ?? PIECE)) await write()
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
  /** How many there are, where that is known. */
  readonly total?: number
  readonly failFast: boolean
  /** There is something that notes what is done. */
  readonly checkpoint?: unknown
  /** How to go on after a failure, where that is not known by the above. */
  readonly goOn?: string
  /** The results say what was done. */
  readonly isProse?: boolean
  /** Something may have been sent that was not answered yet. */
  readonly isUnderWay: () => boolean
}

/** Counts, and what is said of them at the end or when it is interrupted. */
export function createTally(
  context: Pick<Context, 'now' | 'note' | 'onInterrupt' | 'onEnd'>,
  {total, failFast, checkpoint, goOn, isProse = false, isUnderWay}: Counted,
) {
  const started = context.now()
  let done = 0
  let failed = 0
  let before = 0
  let isTold = false
  const left = () => (total === undefined ? undefined : total - done - failed - before)

  function summary(): string {
    const parts = [
      `${done} done`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(before > 0 ? [`${before} done before`] : []),
      ...(left() ? [`${left()} not begun`] : []),
    ]
    return `${parts.join(', ')} in ${timeText(context.now() - started)}.`
  }

  const tell = (prefix: string) => {
    if (!isTold) context.note(prefix + summary())
    isTold = true
  }

  const again = checkpoint
    ? 'Run the same command again: it does only what is left.'
    : (goOn ?? 'With --checkpoint FILE the same command, run again, does only what is left.')
  context.onInterrupt(() => {
    if (done + failed === 0 && !isUnderWay()) return NOTHING_DONE
    const words = [
      `${done} are done`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(isUnderWay() ? ['of those under way the service may have done some'] : []),
      'the rest is not',
    ]
    return {words: words.join(', '), hint: again}
  })
  context.onEnd(() => {
    if (done + failed > 0) tell('Stopped early: ')
  })

  return {
    done: () => void (done += 1),
    failed: () => void (failed += 1),
    skipped: (number: number) => void (before += number),
    ended: () => done + failed + before,
    /** Says what came of all; throws `CommandError('partial')` when some failed. */
    conclude(): void {
      const isNothing = done + failed + before === 0
      if (isNothing || (isProse && before === 0)) isTold = true
      tell(failFast && failed > 0 ? 'Stopped at the first failure: ' : '')
      if (failed === 0) return
      const open = failFast ? (left() ?? 0) : 0
      const things = `${failed} of ${count(done + failed + open, 'thing')} failed`
      const was = (number: number) => (number === 1 ? 'was' : 'were')
      const rest =
        done === 0
          ? 'nothing was done'
          : failFast
            ? `${done} ${was(done)} done`
            : 'the rest was done'
      const words = [
        done === 0 && open > 0 ? '' : rest,
        open > 0 ? `${open} ${was(open)} not started` : '',
      ]
      throw new CommandError(
        'partial',
        `${[things, words.filter(Boolean).join(', ')].join('; ')}.`,
        again,
      )
    },
  }
}
