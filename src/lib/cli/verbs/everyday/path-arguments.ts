import {Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {placed} from '#lib/cli/input/items/item-source.js'
import {nameIn} from '#lib/cli/input/items/record-names.js'
import {readRecords} from '#lib/cli/input/items/records.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import {wordsOfStdin} from '#lib/cli/input/items/stdin.js'
import {readRemotePath} from '#lib/cli/input/names/lookups.js'
import {UsageError} from '#lib/cli/terminal/errors.js'

/** The flag that names a file of records, each of which names one thing. */
export const fromFlag = {from: manyFlags.from}

/**
 * The words that a command line names things with: in the place of `-` the lines of standard input,
 * and behind them what names the records of `from`. Throws `UsageError` for what names nothing.
 */
export async function wordsOf(
  context: Pick<Context, 'io' | 'waits'>,
  {words: given, from}: {readonly words: unknown; readonly from: unknown},
): Promise<string[]> {
  const words: string[] = []
  for (const word of [given ?? []].flat().map(String)) {
    if (word !== '-') words.push(word)
    else words.push(...(await wordsOfStdin(context, 'fileId')))
  }
  if (from === undefined) return words
  for await (const read of readRecords(String(from), context)) {
    if ('error' in read) throw placed(read.error, read.place)
    try {
      words.push(nameIn(read.record, 'fileId'))
    } catch (error) {
      throw placed(error, read.place)
    }
  }
  return words
}

/**
 * Throws `UsageError` for a word that names the top of My Drive or of a shared drive, which nobody
 * can take away as a whole; `done` says what would become of it, `hint` what to do instead.
 */
export function refuseTop(word: string, done: string, hint: string): void {
  const {start, names} = readRemotePath(word)
  if (names.length > 0 || (start.in !== 'myDrive' && start.in !== 'drive')) return
  const what =
    start.in === 'drive' ? `the top of the shared drive ${start.name}` : 'the top of My Drive'
  throw new UsageError(`${word} is ${what}, which cannot be ${done}.`, hint)
}

/** `-r` and `-f`, which fingers type by themselves: folders always go whole, and nothing is forced. */
export const recursionFlags = {
  recursive: Flags.boolean({
    summary: 'Taken and not needed: a folder always goes with all in it.',
    char: 'r',
  }),
  force: Flags.boolean({
    summary: 'Taken and without effect: what asks still asks.',
    char: 'f',
  }),
}
