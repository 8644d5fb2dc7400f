import type {Context} from '#lib/cli/context/context.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {refuseDocument, wordOf} from './record-names.js'
import {linesOf, splitText, textOfStdin} from './records.js'

/** Maximum number of lines to hold in memory; streamed records have no limit. */
const MAX_LINES = 1_000_000

/** The names on standard input: one per line, or separated by NUL with `--null`. */
export async function* namesOfStdin(context: StdinContext): AsyncGenerator<string> {
  const text = textOfStdin(context)
  if (!context.options.null) yield* linesOf(text, STDIN)
  else for await (const name of splitText(text, STDIN, '\0')) if (name !== '') yield name
}

const STDIN = 'standard input'

/** The context for reading names from standard input. */
type StdinContext = Pick<Context, 'io' | 'waits'> & {
  readonly options: Pick<Context['options'], 'null'>
}

/** The names on standard input, at most `max`. Throws `UsageError` for more. */
export async function* limitedLinesOfStdin(
  context: StdinContext,
  max = MAX_LINES,
): AsyncGenerator<string> {
  let count = 0
  for await (const line of namesOfStdin(context)) {
    count += 1
    if (count > max) {
      throw new UsageError(
        `Cannot read standard input: it has more than ${max.toLocaleString('en')} lines.`,
        'Split the input and run the command for each part.',
      )
    }
    yield line
  }
}

/**
 * The values of `parameter` on standard input; each line is a value or a JSON object. Throws `UsageError`.
 */
export async function wordsOfStdin(context: StdinContext, parameter: string): Promise<string[]> {
  const words: string[] = []
  for await (const line of limitedLinesOfStdin(context)) {
    if (words.length === 0) refuseDocument(line)
    words.push(wordOf(line, parameter))
  }
  return words
}
