import {Args, Flags} from '@oclif/core'
import type {Context} from '#lib/cli/context/context.js'
import {mapRecords} from '#lib/cli/input/items/item-source.js'
import {nameIn} from '#lib/cli/input/items/record-names.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import {wordsOfStdin} from '#lib/cli/input/items/stdin-names.js'
import {expandGlobs} from '#lib/cli/input/names/globs.js'
import {readRemotePath} from '#lib/cli/input/names/resolver.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'

/** The flag that names a file of records, each of which names one thing. */
export const fromFlag = {from: manyFlags.from}

/** The argument of verbs that name files and folders, and plan all of them together. */
export const filesArg = {
  file_id: Args.string({
    description:
      'Files and folders: a path, a link or an ID. Several may be named, or - for the lines of standard input.',
    required: true,
    multiple: true,
    ignoreStdin: true,
  }),
}

/**
 * The words that a command line names things with: in the place of `-` the lines of standard input,
 * and behind them what names the records of `from`. Throws `UsageError` for what names nothing.
 */
export async function wordsOf(
  context: Pick<Context, 'io' | 'waits' | 'options'>,
  {words: given, from}: {readonly words: unknown; readonly from: unknown},
): Promise<string[]> {
  const words: string[] = []
  for (const word of [given ?? []].flat().map(String)) {
    if (word !== '-') words.push(word)
    else words.push(...(await wordsOfStdin(context, 'fileId')))
  }
  if (from === undefined) return words
  const named = await mapRecords(String(from), context, record => nameIn(record, 'fileId'))
  return [...words, ...named]
}

/**
 * The same, with what globs of the command line match in their place, as `expandGlobs` finds it. Lines
 * and records name what they say, whatever signs are in it.
 */
export async function filesOf(
  context: Context,
  {words, from}: {readonly words: unknown; readonly from: unknown},
  fields?: readonly string[],
): Promise<string[]> {
  const all = [words ?? []].flat().map(String)
  return wordsOf(context, {words: await expandGlobs(context, all, fields), from})
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
  recursive: ranked(
    3,
    Flags.boolean({
      summary: 'Accepted for compatibility; folders always go with their contents.',
      char: 'r',
    }),
  ),
  force: Flags.boolean({
    summary: 'Accepted for compatibility; what asks still asks.',
    char: 'f',
  }),
}
