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

/** `--from`: a file of records that name one item each. */
export const fromFlag = {from: manyFlags.from}

const fileIds = {required: true, multiple: true, ignoreStdin: true} as const

/** The argument of verbs that plan all named files and folders together. */
export const filesArg = {
  file_id: Args.string({
    description: 'Files and folders (paths, links or IDs); - reads them from standard input.',
    ...fileIds,
  }),
}

/** The same for verbs that accept no folders. */
export const contentFilesArg = {
  file_id: Args.string({
    description: 'Files (paths, links or IDs); - reads them from standard input.',
    ...fileIds,
  }),
}

/**
 * The names in the arguments, with the lines of standard input in place of `-`, followed by the names in the
 * records of `from`. Throws `UsageError` for a record that names no item.
 */
export async function pathArguments(
  context: Pick<Context, 'io' | 'waits' | 'options'>,
  {words: typed, from}: {readonly words: unknown; readonly from: unknown},
): Promise<string[]> {
  const words: string[] = []
  for (const word of [typed ?? []].flat().map(String)) {
    if (word !== '-') words.push(word)
    else words.push(...(await wordsOfStdin(context, 'fileId')))
  }
  if (from === undefined) return words
  const named = await mapRecords(String(from), context, record => nameIn(record, 'fileId'))
  return [...words, ...named]
}

/**
 * The same, with the matches of each glob in the arguments in its place. Lines and records are taken
 * literally, even if they contain wildcards.
 */
export async function filesOf(
  context: Context,
  {words, from}: {readonly words: unknown; readonly from: unknown},
  fields?: readonly string[],
): Promise<string[]> {
  const all = [words ?? []].flat().map(String)
  return pathArguments(context, {words: await expandGlobs(context, all, fields), from})
}

/**
 * Throws `UsageError` for the root of My Drive or of a shared drive, which cannot be moved or removed; `verb`
 * is the base form in the message, such as `move`, and `hint` the alternative.
 */
export function refuseRoot(word: string, verb: string, hint: string): void {
  const {start, names} = readRemotePath(word)
  if (names.length > 0 || (start.in !== 'myDrive' && start.in !== 'drive')) return
  const what =
    start.in === 'drive' ? `the root of the shared drive ${start.name}` : 'the root of My Drive'
  throw new UsageError(`Cannot ${verb} ${word}: it is ${what}.`, hint)
}

/** `-r` and `-f`, accepted because people type them out of habit. */
export const recursionFlags = {
  recursive: ranked(
    3,
    Flags.boolean({
      summary: 'Accepted for compatibility; folders always include their contents.',
      char: 'r',
    }),
  ),
  force: Flags.boolean({
    summary: 'Accepted for compatibility; use --yes to skip confirmation.',
    char: 'f',
  }),
}
