import {knownValues} from '#lib/api/validate.js'
import {nearest, suggestionSentence} from '#lib/platform/nearest.js'
import {type HintKind, hintsFor} from './hints.js'

/** The known name that a word means or is most similar to. */
export function suggestionFor(
  of: Exclude<HintKind, 'commands'>,
  word: string,
  known: readonly string[],
): string | undefined {
  const meant = hintsFor(of, word).find(name => known.includes(name.split(' ')[0]!))
  return meant ?? nearest(word, known)
}

/** The suggestion for an unknown word. */
export interface Suggestion {
  readonly hint: string | undefined
  /** The word with its replacement; empty if no known name is similar. */
  readonly meant: ReadonlyArray<readonly [word: string, instead: string]>
}

/** The suggestion for an unknown word; the hint is `otherwise` if no known name is similar. */
export function suggestionText(
  of: 'values' | 'fields',
  word: string,
  known: readonly string[],
  otherwise?: string,
): Suggestion {
  const meant = suggestionFor(of, word, known)
  if (meant === undefined) return {hint: otherwise, meant: []}
  return {hint: suggestionSentence(meant), meant: [[word, meant]]}
}

/**
 * Replaces words in the values of a command line, such as names in a list; `undefined` if a word is not
 * in any value.
 */
export function withValues(
  line: readonly string[],
  meant: Suggestion['meant'],
): readonly string[] | undefined {
  let corrected: readonly string[] | undefined = line
  for (const [word, instead] of meant) corrected = corrected && withValue(corrected, word, instead)
  return corrected
}

function withValue(
  line: readonly string[],
  word: string,
  instead: string,
): readonly string[] | undefined {
  const whole = new RegExp(`(?<![\\w.])${escaped(word)}(?![\\w.])`)
  for (const [at, text] of line.entries()) {
    const start = /^--?[\w-]+=/.exec(text)?.[0] ?? ''
    const isValue = start !== '' || (line[at - 1] ?? '').startsWith('-')
    const value = text.slice(start.length)
    if (isValue && whole.test(value)) {
      return line.with(at, start + value.replace(whole, () => instead))
    }
  }
  return undefined
}

/** Replaces a flag: `flag` is its name, such as `title`, or its name and value, such as `format csv`. */
export function withFlag(
  line: readonly string[],
  spelling: string,
  flag: string,
): readonly string[] | undefined {
  const [name, ...values] = flag.split(' ')
  const at = line.findIndex(word => word === spelling || word.startsWith(`${spelling}=`))
  if (at < 0) return undefined
  const own = values.length > 0 ? '' : line[at]!.slice(spelling.length)
  const corrected = line.toSpliced(at, 1, `--${name}${own}`, ...values)
  if (name === 'columns') return withStatColumns(corrected, at)
  if (name !== 'order-by') return corrected
  // With the sort flag of another tool, the fields are those of that tool too.
  const value = own === '' ? corrected[at + 1] : own.slice(1)
  const order =
    value === undefined ? undefined : suggestionFor('values', value, knownValues.orderBy)
  return order === undefined ? corrected : (withValues(corrected, [[value!, order]]) ?? corrected)
}

/** The columns for format letters of stat(1). */
const STAT_COLUMNS: Readonly<Record<string, string>> = {
  F: 'mimeType',
  U: 'ownerNames',
  i: 'id',
  n: 'title',
  s: 'fileSize',
  w: 'createdDate',
  y: 'modifiedDate',
}

/** The same with columns in the place of a format of stat(1) behind `--columns`: `%s %y`. */
function withStatColumns(line: readonly string[], at: number): readonly string[] {
  const value = line[at + 1] ?? ''
  if (!value.includes('%')) return line
  const names = [...value.matchAll(/%(\w)/g)].map(([, letter]) => STAT_COLUMNS[letter!] ?? 'title')
  return line.with(at + 1, names.join(','))
}

/**
 * Turns `ls` or `files list` with a search flag into a search: `ls / --type doc` -> `find / --type doc`;
 * `undefined` for other commands and flags.
 */
export function asSearch(
  line: readonly string[],
  command: string,
  spelling: string,
): readonly string[] | undefined {
  const at = line.findIndex(word => word === spelling || word.startsWith(`${spelling}=`))
  const name = spelling.replace(/^-+/, '')
  const inline = line[at]?.startsWith(`${spelling}=`)
  const value = inline ? line[at]!.slice(spelling.length + 1) : line[at + 1]
  if (at < 0 || value === undefined) return undefined
  const rest = line.toSpliced(at, inline ? 1 : 2)
  if (command === 'files list' && ['name', 'title'].includes(name)) {
    return [...rest, '--q', `title contains '${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`]
  }
  if (command !== 'ls') return undefined
  if (SEARCH_FLAGS.includes(name)) return ['find', ...line.slice(1)]
  if (!['q', 'query', 'search'].includes(name)) return undefined
  return /['=<>]/.test(value) ? ['files', 'list', '--q', value] : ['find', value, ...rest.slice(1)]
}

/** The flags of `drv find` that users expect other commands to have. */
export const SEARCH_FLAGS = [
  ...['before', 'content', 'created-before', 'created-since', 'external', 'larger', 'max-size'],
  ...['min-size', 'modified-before', 'modified-by', 'modified-since', 'name', 'newer', 'older'],
  ...['owner', 'property', 'shared-with', 'smaller', 'type'],
]

/**
 * Splits a command with a flag of `drv find` into a search and a command that reads its results:
 * `rm /logs --older 30d` -> `find /logs --older 30d --format ids`, `rm -`. `undefined` for other flags.
 */
export function withSearch(
  line: readonly string[],
  command: string,
  spelling: string,
): readonly [search: readonly string[], then: readonly string[]] | undefined {
  const own = command.split(' ').length
  const at = line.findIndex(word => word === spelling || word.startsWith(`${spelling}=`))
  const [folder, ...rest] = line.slice(own, at)
  if (at < 0 || folder === undefined || !SEARCH_FLAGS.includes(spelling.replace(/^-+/, ''))) {
    return undefined
  }
  const end = line[at]!.includes('=') ? at + 1 : at + 2
  const search = ['find', folder, ...line.slice(at, end), '--format', 'ids']
  const permanently = command === 'rm' && folder.startsWith('trash:') ? ['--permanently'] : []
  return [search, [...line.slice(0, own), '-', ...rest, ...line.slice(end), ...permanently]]
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w\s]/g, String.raw`\$&`)
}
