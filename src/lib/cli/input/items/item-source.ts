import {pathParameters} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {type Fillable, filled, refuseUnknownNames} from './fill-records.js'
import {refuseDocument, wordOf} from './record-names.js'
import {atHand, type ReadRecord, readRecords} from './records.js'
import {namesOfStdin} from './stdin-names.js'

/** The most things that are read ahead of what is sent. */
export const GROUP = 1000

/** The things of a command line. */
export interface ItemSource {
  /** How many there are, where that is known before anything is sent. */
  readonly count?: number
  /** As many at a time as are at hand. */
  groups(): AsyncIterable<readonly AnyItem[]>
}

interface Command extends Fillable {
  /** The argument that may be several, where one may. */
  readonly several?: string
  readonly context: Pick<Context, 'io' | 'waits' | 'options'>
}

/**
 * The things that a command line names by several words, by `-` for the lines of standard input, or
 * by `--from`; `undefined` where it is about one. A file is read to its end. Throws `UsageError` for
 * what cannot stand together, and for whatever is wrong with a record of a file.
 */
export async function itemsOf(command: Command, given: Parsed): Promise<ItemSource | undefined> {
  const {several} = command
  const {from, ...flags} = given.flags
  const words = several === undefined ? [] : [given.args[several] ?? []].flat().map(String)
  // Of a path `-` is the content itself.
  const reads = several !== 'path' && words.includes('-')
  if (from === undefined) {
    if (words.length < 2 && !reads) return undefined
    checkContent(several, words, given.args.path)
    const one = (word: string): AnyItem => itemOf(word, word, several!, given)
    if (!reads) return listed(words.map(one))
    return {groups: () => atHand(itemsOfWords(words, command, given), GROUP)}
  }
  if (words.length > 1 || reads) {
    throw new UsageError(
      `--from and ${words.length > 1 ? 'several words' : '-'} exclude each other.`,
      'A word on the command line goes for all records.',
    )
  }
  const rest: Parsed = {
    ...given,
    args: several === undefined ? given.args : {...given.args, [several]: words[0]},
    flags,
  }
  const records = itemsOfRecords(String(from), command, rest)
  if (from === '-') return {groups: () => atHand(records, GROUP)}
  const items: AnyItem[] = []
  for await (const item of records) {
    if ('error' in item) throw placed(item.error, item.place)
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

function itemOf(original: string, word: string, several: string, given: Parsed): AnyItem {
  return {original, given: {...given, args: {...given.args, [several]: word}}}
}

/** Words, with the lines of standard input in the place of `-`. */
async function* itemsOfWords(
  words: readonly string[],
  {operation, several, context}: Command,
  given: Parsed,
): AsyncGenerator<AnyItem> {
  const parameter = pathParameters(operation).at(-1)!
  for (const word of words) {
    if (word !== '-') {
      yield itemOf(word, word, several!, given)
      continue
    }
    let isFirst = true
    for await (const line of namesOfStdin(context)) {
      if (isFirst) refuseDocument(line)
      isFirst = false
      try {
        yield itemOf(line, wordOf(line, parameter), several!, given)
      } catch (error) {
        yield {original: line, error}
      }
    }
  }
}

async function* itemsOfRecords(
  from: string,
  command: Command,
  given: Parsed,
): AsyncGenerator<AnyItem> {
  let isChecked = false
  for await (const read of readRecords(from, command.context)) {
    if ('error' in read) {
      yield {...read, original: read.input}
      continue
    }
    const {record, place, isRow} = read
    if (isRow && !isChecked) {
      refuseUnknownNames(command, given, Object.keys(record))
      isChecked = true
    }
    try {
      yield {original: record, place, given: filled(command, given, read)}
    } catch (error) {
      yield {original: record, place, error}
    }
  }
}

/** What `use` makes of each record of a file. Throws what is wrong with one, with its place in front. */
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
      throw placed(error, read.place)
    }
  }
  return all
}

/** The mistake with the place in front where it was made. */
export function placed(error: unknown, place: string | undefined): unknown {
  if (!(error instanceof UsageError) || place === undefined) return error
  return new UsageError(`${place}: ${error.message}`, error.hint, error.lines)
}

function checkContent(several: string | undefined, words: readonly string[], path: unknown): void {
  if (several !== 'path' && path !== undefined) {
    throw new UsageError(
      'Several files cannot get their content from one path.',
      '`drv push LOCAL... FOLDER` uploads each file under its own name.',
    )
  }
  if (several !== 'path' || !words.includes('-')) return
  throw new UsageError(
    'Standard input is the content of one file, so it cannot stand beside other paths.',
    'Send it with a command of its own.',
  )
}

/** One thing to do. */
export interface Item {
  /** What was given for it: a word, or a record. */
  readonly original: unknown
  /** Where that stands, for messages: `people.csv, line 4`; a word says it itself. */
  readonly place?: string
  /** The command line for it alone. */
  readonly given: Parsed
}

/** What was given and is nothing that can be done, with why. */
export interface BrokenItem extends Omit<Item, 'given'> {
  readonly error: unknown
}

export type AnyItem = Item | BrokenItem
