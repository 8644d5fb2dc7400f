import type {Context} from '#lib/cli/context/context.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {waitForInput} from '#lib/cli/terminal/io.js'
import type {Wait} from '#lib/client/transport/waits.js'
import {refuseDocument, wordOf} from './record-names.js'

/** The most lines that are held together; of records one after the other there are as many as come. */
const MOST_LINES = 1_000_000

/** The most characters of a line that names something or is a record. */
const LONGEST_LINE = 1024 * 1024

/** Standard input as text, as it comes. Throws `UsageError` where it is no UTF-8. */
export async function* textOfStdin(context: Pick<Context, 'io' | 'waits'>): AsyncGenerator<string> {
  yield* pausing(decoded(context.io.stdin, 'Standard input'), waitForInput(context))
}

/** The same pieces; `wait` is paused while one is worked on, and ends with the last one. */
export async function* pausing(
  pieces: AsyncIterable<string>,
  wait: Wait | undefined,
): AsyncGenerator<string> {
  try {
    for await (const piece of pieces) {
      wait?.pause()
      yield piece
      wait?.renew()
    }
  } finally {
    wait?.end()
  }
}

/** The text that comes as bytes, without a mark of their order. Throws `UsageError` where it is no UTF-8. */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array | string>,
  name: string,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', {fatal: true})
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, {stream: chunk !== undefined})
    } catch {
      throw new UsageError(`${name} is no text in UTF-8.`, 'Save it as UTF-8, then try again.')
    }
  }
  for await (const chunk of bytes) yield decode(Buffer.from(chunk as Buffer))
  yield decode()
}

/** The lines of a text that comes in pieces, without their ends and without blank ones. */
export async function* linesOf(text: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of text) {
    const lines = (rest + piece).split(/\r?\n/)
    rest = lines.pop()!
    if (rest.length > LONGEST_LINE) {
      throw new UsageError(`${name} has a line of more than ${LONGEST_LINE} characters.`)
    }
    for (const line of lines) if (line.trim() !== '') yield line
  }
  if (rest.trim() !== '') yield rest.replace(/\r$/, '')
}

/** The lines of standard input for whoever holds them all. Throws `UsageError` for more than that. */
export async function* fewLinesOfStdin(
  context: Pick<Context, 'io' | 'waits'>,
  most = MOST_LINES,
): AsyncGenerator<string> {
  let count = 0
  for await (const line of linesOf(textOfStdin(context), 'Standard input')) {
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
export async function wordsOfStdin(
  context: Pick<Context, 'io' | 'waits'>,
  parameter: string,
): Promise<string[]> {
  const words: string[] = []
  for await (const line of fewLinesOfStdin(context)) {
    if (words.length === 0) refuseDocument(line)
    words.push(wordOf(line, parameter))
  }
  return words
}

/** What is at hand of a source, together: as many as have come when the next ones are asked for. */
export async function* atHand<T>(source: AsyncIterable<T>, most: number): AsyncGenerator<T[]> {
  const iterator = source[Symbol.asyncIterator]()
  let waiting: T[] = []
  let isDone = false
  let failure: {readonly error: unknown} | undefined
  let wake = () => {}
  let room = () => {}
  const pump = async () => {
    try {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        waiting.push(next.value)
        wake()
        if (waiting.length >= most) await new Promise<void>(resolve => (room = resolve))
      }
    } catch (error) {
      failure = {error}
    }
    isDone = true
    wake()
  }
  void pump()
  try {
    for (;;) {
      if (waiting.length === 0 && !isDone) await new Promise<void>(resolve => (wake = resolve))
      // What comes with the same chunk comes in turns of its own.
      await new Promise(setImmediate)
      const group = waiting
      waiting = []
      room()
      if (group.length > 0) yield group
      else if (failure) throw failure.error
      else if (isDone) return
    }
  } finally {
    // Nobody waits for it: standard input may never say anything more.
    void iterator.return?.()?.then(undefined, () => undefined)
  }
}
