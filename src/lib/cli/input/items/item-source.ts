import {pathParameters} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {applyRecord, type RecordCommand, refuseUnknownNames} from './fill-records.js'
import {refuseDocument, wordOf} from './record-names.js'
import {groupsOf, type ReadRecord, readRecords} from './records.js'
import {namesOfStdin} from './stdin-names.js'

/** Maximum number of items to read before sending them. */
export const GROUP = 1000

/** The items a command operates on. */
export interface ItemSource {
  /** The number of items, if known before sending. */
  readonly count?: number
  /** The items in groups of those available so far. */
  groups(): AsyncIterable<readonly AnyItem[]>
}

interface Command extends RecordCommand {
  /** The name of the repeatable argument, if the command has one. */
  readonly several?: string
  readonly context: Pick<Context, 'io' | 'waits' | 'options'>
}

/**
 * The items of a command with several arguments, `-` for the lines of standard input, or `--from`;
 * `undefined` for a single item. Reads a file to its end. Throws `UsageError` for arguments that exclude
 * each other, and for an invalid record in a file.
 */
export async function itemsOf(command: Command, parsed: Parsed): Promise<ItemSource | undefined> {
  const {several} = command
  const {from, ...flags} = parsed.flags
  const words = several === undefined ? [] : [parsed.args[several] ?? []].flat().map(String)
  // For a local path, `-` means its content.
  const reads = several !== 'path' && words.includes('-')
  if (from === undefined) {
    if (words.length < 2 && !reads) return undefined
    checkContent(several, words, parsed.args.path)
    const one = (word: string): AnyItem => itemOf(word, word, several!, parsed)
    if (!reads) return listed(words.map(one))
    return {groups: () => groupsOf(itemsOfWords(words, command, parsed), GROUP)}
  }
  if (words.length > 1 || reads) {
    throw new UsageError(
      `--from cannot be combined with ${words.length > 1 ? 'several arguments' : '-'}.`,
      'With --from, an argument applies to every record.',
    )
  }
  const rest: Parsed = {
    ...parsed,
    args: several === undefined ? parsed.args : {...parsed.args, [several]: words[0]},
    flags,
  }
  const records = itemsOfRecords(String(from), command, rest)
  if (from === '-') return {groups: () => groupsOf(records, GROUP)}
  const items: AnyItem[] = []
  for await (const item of records) {
    if ('error' in item) throw withPosition(item.error, item.place)
    items.push(item)
  }
  return listed(items)
}

function listed(items: readonly AnyItem[]): ItemSource {
  return {
    count: items.length,
    async *groups() {
      for (let at = 0; at < items.length; at += GROUP) yield items.slice(at, at + GROUP)
    },
  }
}

function itemOf(original: string, word: string, several: string, parsed: Parsed): AnyItem {
  return {original, given: {...parsed, args: {...parsed.args, [several]: word}}}
}

/** The items named by arguments, with the lines of standard input in place of `-`. */
async function* itemsOfWords(
  words: readonly string[],
  {operation, several, context}: Command,
  parsed: Parsed,
): AsyncGenerator<AnyItem> {
  const parameter = pathParameters(operation).at(-1)!
  for (const word of words) {
    if (word !== '-') {
      yield itemOf(word, word, several!, parsed)
      continue
    }
    let isFirst = true
    for await (const line of namesOfStdin(context)) {
      if (isFirst) refuseDocument(line)
      isFirst = false
      try {
        yield itemOf(line, wordOf(line, parameter), several!, parsed)
      } catch (error) {
        yield {original: line, error}
      }
    }
  }
}

async function* itemsOfRecords(
  from: string,
  command: Command,
  parsed: Parsed,
): AsyncGenerator<AnyItem> {
  let isChecked = false
  for await (const read of readRecords(from, command.context)) {
    if ('error' in read) {
      yield {...read, original: read.input}
      continue
    }
    const {record, place, isRow} = read
    if (isRow && !isChecked) {
      refuseUnknownNames(command, parsed, Object.keys(record))
      isChecked = true
    }
    try {
      yield {original: record, place, given: applyRecord(command, parsed, read)}
    } catch (error) {
      yield {original: record, place, error}
    }
  }
}

/** The results of `use` for each record of a file. Throws the first error, prefixed with its position. */
export async function mapRecords<T>(
  from: string,
  context: Command['context'],
  use: (record: ReadRecord['record']) => T,
): Promise<T[]> {
  const all: T[] = []
  for await (const read of readRecords(from, context)) {
    try {
      if ('error' in read) throw read.error
      all.push(use(read.record))
    } catch (error) {
      throw withPosition(error, read.place)
    }
  }
  return all
}

/** The error, prefixed with its position in the input if it is a `UsageError`. */
export function withPosition(error: unknown, place: string | undefined): unknown {
  if (!(error instanceof UsageError) || place === undefined) return error
  return new UsageError(`${place}: ${error.message}`, error.hint, error.lines)
}

function checkContent(several: string | undefined, words: readonly string[], path: unknown): void {
  if (several !== 'path' && path !== undefined) {
    throw new UsageError(
      'Cannot upload the same content to several files.',
      'To upload several files, run `drv push LOCAL... REMOTE`.',
    )
  }
  if (several !== 'path' || !words.includes('-')) return
  throw new UsageError(
    'Cannot upload standard input together with other files.',
    'Upload it with a separate command.',
  )
}

/** One item to process. */
export interface Item {
  /** The argument or record it came from. */
  readonly original: unknown
  /** The position of a record, for messages: `people.csv, line 4`. */
  readonly place?: string
  /** The parsed input for this item alone. */
  readonly given: Parsed
}

/** An item with invalid input. */
export interface InvalidItem extends Omit<Item, 'given'> {
  readonly error: unknown
}

export type AnyItem = Item | InvalidItem
