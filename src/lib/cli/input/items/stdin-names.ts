import type {Context} from '#lib/cli/context/context.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {refuseDocument, wordOf} from './record-names.js'
import {linesOf, piecesOf, textOfStdin} from './records.js'

/** The most lines that are held together; of records one after the other there are as many as come. */
const MOST_LINES = 1_000_000

/** The names of standard input as they come: a line each, or with `--null` what ends with NUL. */
export async function* namesOfStdin(context: StdinContext): AsyncGenerator<string> {
  const text = textOfStdin(context)
  if (!context.options.null) yield* linesOf(text, STDIN)
  else for await (const name of piecesOf(text, STDIN, '\0')) if (name !== '') yield name
}

const STDIN = 'Standard input'

/** What reads names from standard input. */
type StdinContext = Pick<Context, 'io' | 'waits'> & {
  readonly options: Pick<Context['options'], 'null'>
}

/** The lines of standard input for whoever holds them all. Throws `UsageError` for more than that. */
export async function* fewLinesOfStdin(
  context: StdinContext,
  most = MOST_LINES,
): AsyncGenerator<string> {
  let count = 0
  for await (const line of namesOfStdin(context)) {
    count += 1
    if (count > most) {
      const words = `Standard input has more than ${most.toLocaleString('en')} lines.`
      throw new UsageError(words, 'Give it less at once.')
    }
    yield line
  }
}

/**
 * The words that the lines of standard input give, all of them: a line names something itself, or is a
 * record that does. Throws `UsageError`.
 */
export async function wordsOfStdin(context: StdinContext, parameter: string): Promise<string[]> {
  const words: string[] = []
  for await (const line of fewLinesOfStdin(context)) {
    if (words.length === 0) refuseDocument(line)
    words.push(wordOf(line, parameter))
  }
  return words
}
