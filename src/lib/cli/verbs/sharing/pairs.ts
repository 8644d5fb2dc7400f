import type {Context} from '#lib/cli/context/context.js'
import {placed} from '#lib/cli/input/items/item-source.js'
import {nameIn, wordOf} from '#lib/cli/input/items/record-names.js'
import {readRecords} from '#lib/cli/input/items/records.js'
import {fewLinesOfStdin} from '#lib/cli/input/items/stdin.js'
import {readRemotePath} from '#lib/cli/input/names/lookups.js'
import {type Who, whoIn, whoOf} from '#lib/cli/input/names/permissions.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {ROLES} from './decide.js'

/** Somebody and a file. */
export interface Pair {
  /** The file as it was written. */
  readonly file: string
  readonly who: Who
  /** Where a record says one. */
  readonly role?: string
}

/** What a command line of `drv share` and `drv unshare` names. */
export interface Named {
  readonly files: readonly string[]
  readonly whos: readonly Who[]
}

/**
 * Tells the files of a command line from the people; in the place of `-` are the lines of standard
 * input, each a file. Throws `UsageError` for what names neither.
 */
export async function namedBy(
  words: readonly string[],
  isGroup: boolean,
  context: Pick<Context, 'io' | 'waits'>,
): Promise<Named> {
  const files: string[] = []
  const whos: Who[] = []
  for (const word of words) {
    const who = whoIn(word, isGroup)
    if (who) whos.push(who)
    else if (word === '-') files.push(...(await linesOfStdin(context)))
    else files.push(word)
  }
  for (const file of files) readRemotePath(file)
  return {files: [...new Set(files)], whos: unique(whos, ({word}) => word.toLowerCase())}
}

/**
 * Each file with each person. The records of `from` bring what the command line does not name: `file`
 * (or `fileId`, `path`, `id`), `who` (or `emailAddress`) and `role`, as `drv share FILE` writes them.
 */
export async function pairsOf(
  {files, whos}: Named,
  from: string | undefined,
  isGroup: boolean,
  context: Pick<Context, 'io' | 'waits'>,
): Promise<readonly Pair[]> {
  const both = (files: readonly string[], whos: readonly Who[], role?: string) =>
    files.flatMap(file => whos.map((who): Pair => ({file, who, ...(role !== undefined && {role})})))
  if (from === undefined) return both(files, whos)
  const pairs: Pair[] = []
  for await (const read of readRecords(from, context)) {
    if ('error' in read) throw placed(read.error, read.place)
    try {
      const {record} = read
      const isWhole = files.length > 0 && whos.length > 0
      if (isWhole && record.role === undefined) throw new UsageError('The record has no role.')
      const role = roleIn(record)
      pairs.push(
        ...both(
          files.length > 0 ? files : [fileIn(record)],
          whos.length > 0 ? whos : [whoOfRecord(record, isGroup)],
          role,
        ),
      )
    } catch (error) {
      throw placed(error, read.place)
    }
  }
  return unique(pairs, ({file, who}) => JSON.stringify([file, who.word.toLowerCase()]))
}

type Fields = Readonly<Record<string, unknown>>

function fileIn(record: Fields): string {
  const {file, id: _, ...rest} = record
  if (typeof file === 'string' && file !== '') {
    readRemotePath(file)
    return file
  }
  // What names a person has the ID of a permission.
  return nameIn(record.type === undefined ? record : rest, 'fileId')
}

function whoOfRecord(record: Fields, isGroup: boolean): Who {
  const {who, value, email} = record
  const word = [who, email, value].find(text => typeof text === 'string' && text !== '')
  const named = whoIn(String(word ?? whoOf(record)), isGroup || record.type === 'group')
  if (named) return named
  throw new UsageError('The record names nobody: `who` is an e-mail address, @domain or anyone.')
}

/** Throws `UsageError` for a role that cannot be given. */
function roleIn({role, additionalRoles}: Fields): string | undefined {
  if (role === undefined || role === '' || role === null) return undefined
  const isCommenter = Array.isArray(additionalRoles) && additionalRoles.includes('commenter')
  const wish = role === 'reader' && isCommenter ? 'commenter' : role
  if (ROLES.some(known => known === wish)) return String(wish)
  throw new UsageError(`The role of a record must be one of ${ROLES.join(', ')}.`)
}

async function linesOfStdin(context: Pick<Context, 'io' | 'waits'>): Promise<string[]> {
  const words: string[] = []
  for await (const line of fewLinesOfStdin(context)) {
    words.push(wordOf(line, 'fileId'))
  }
  return words
}

function unique<T>(all: readonly T[], keyOf: (one: T) => string): T[] {
  return [...new Map(all.map(one => [keyOf(one), one])).values()]
}
