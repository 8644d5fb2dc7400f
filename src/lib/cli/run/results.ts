import type {AnyItem} from '#lib/cli/input/items/item-source.js'
import type {ListText, OutputFormat, Row} from '#lib/cli/output/format.js'
import {recordsOf} from '#lib/client/pages.js'

/** What came of one thing: the answer, none, or the error as programs read it. */
export type Result = {readonly answer: Row | undefined} | {readonly error: Row}

/** Where results are written. */
export interface ResultsPlace {
  readonly output: OutputFormat
  /** The answer is a list: each of its records is a row. */
  readonly isOfLists: boolean
  text(): ListText
  /** Records as they are written. */
  prepared(records: readonly Row[]): Promise<readonly Row[]>
  show(text: string): Promise<void>
}

/** Writes the results of many things as they come. */
export interface Results {
  add(item: Pick<AnyItem, 'original'>, result: Result): Promise<void>
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
