import {knownValues} from '#lib/api/validate.js'
import {nearest} from '#lib/platform/nearest.js'
import {meanings, type Named} from './hints.js'

/** The name of those `known` that a word means or, misspelt, comes nearest to. */
export function meantBy(
  of: Exclude<Named, 'commands'>,
  word: string,
  known: readonly string[],
): string | undefined {
  const meant = meanings(of, word).find(name => known.includes(name.split(' ')[0]!))
  return meant ?? nearest(word, known)
}

/** What to say instead of a word that is none of those `known`. */
export interface Suggestion {
  readonly hint: string | undefined
  /** The word, with the one to put in its place; nothing where none is near. */
  readonly meant: ReadonlyArray<readonly [word: string, instead: string]>
}

/** The suggestion for a word that is none of `known`; `otherwise` where none of them is near. */
export function suggestion(
  of: 'values' | 'fields',
  word: string,
  known: readonly string[],
  otherwise?: string,
): Suggestion {
  const meant = meantBy(of, word, known)
  if (meant === undefined) return {hint: otherwise, meant: []}
  return {hint: `Did you mean ${meant}?`, meant: [[word, meant]]}
}

/**
 * A command line with others in the place of some words, which are values or parts of one, such as
 * names in a list; `undefined` where no value has one of them.
 */
export function withValues(
  line: readonly string[],
  meant: Suggestion['meant'],
): readonly string[] | undefined {
  let mended: readonly string[] | undefined = line
  for (const [word, instead] of meant) mended = mended && withValue(mended, word, instead)
  return mended
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

/** The same with a flag in the place of `spelling`: `--title` of `title`, with its value of `format csv`. */
export function withFlag(
  line: readonly string[],
  spelling: string,
  flag: string,
): readonly string[] | undefined {
  const [name, ...values] = flag.split(' ')
  const at = line.findIndex(word => word === spelling || word.startsWith(`${spelling}=`))
  if (at < 0) return undefined
  const own = values.length > 0 ? '' : line[at]!.slice(spelling.length)
  const mended = line.toSpliced(at, 1, `--${name}${own}`, ...values)
  if (name === 'columns') return withStatColumns(mended, at)
  if (name !== 'order-by') return mended
  // Whoever sorts by another tool's flag names its fields as well.
  const value = own === '' ? mended[at + 1] : own.slice(1)
  const order = value === undefined ? undefined : meantBy('values', value, knownValues.orderBy)
  return order === undefined ? mended : (withValues(mended, [[value!, order]]) ?? mended)
}

/** What the letters of stat(1) stand for. */
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
 * The search that `ls` or `files list` with a flag of a search stands for: `ls / --type doc` ->
 * `find / --type doc`; `undefined` for other commands and flags.
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

/** Flags of `drv find` by which people expect other commands to choose files. */
export const SEARCH_FLAGS = [
  ...['before', 'content', 'created-before', 'created-since', 'external', 'larger', 'max-size'],
  ...['min-size', 'modified-before', 'modified-by', 'modified-since', 'name', 'newer', 'older'],
  ...['owner', 'property', 'shared-with', 'smaller', 'type'],
]

/**
 * A search for what a flag of `drv find` describes, and the command for what it finds:
 * `rm /logs --older 30d` -> `find /logs --older 30d --format ids`, `rm -`. `undefined` for another flag.
 */
export function withSearch(
  line: readonly string[],
  command: string,
  spelling: string,
): readonly [search: readonly string[], then: readonly string[]] | undefined {
  const own = command.split(' ').length
  const at = line.findIndex(word => word === spelling || word.startsWith(`${spelling}=`))
  const [place, ...rest] = line.slice(own, at)
  if (at < 0 || place === undefined || !SEARCH_FLAGS.includes(spelling.replace(/^-+/, ''))) {
    return undefined
  }
  const end = line[at]!.includes('=') ? at + 1 : at + 2
  const search = ['find', place, ...line.slice(at, end), '--format', 'ids']
  const forGood = command === 'rm' && place.startsWith('trash:') ? ['--permanently'] : []
  return [search, [...line.slice(0, own), '-', ...rest, ...line.slice(end), ...forGood]]
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w\s]/g, String.raw`\$&`)
}
