import {knownValues} from '#lib/api/validate.js'
import {nearest} from '#lib/platform/nearest.js'
import {meanings, type Named} from './hints.js'

/** The known name that a word means or is most similar to. */
export function meantBy(
  of: Exclude<Named, 'commands'>,
  word: string,
  known: readonly string[],
): string | undefined {
  const meant = meanings(of, word).find(name => known.includes(name.split(' ')[0]!))
  return meant ?? nearest(word, known)
}

/** The suggestion for an unknown word. */
export interface Suggestion {
  readonly hint: string | undefined
  /** The word with its replacement; empty if no known name is similar. */
  readonly meant: ReadonlyArray<readonly [word: string, instead: string]>
}

/** The suggestion for an unknown word; the hint is `otherwise` if no known name is similar. */
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
  if (name !== 'order-by') return corrected
  // With the sort flag of another tool, the fields are those of that tool too.
  const value = own === '' ? corrected[at + 1] : own.slice(1)
  const order = value === undefined ? undefined : meantBy('values', value, knownValues.orderBy)
  return order === undefined ? corrected : (withValues(corrected, [[value!, order]]) ?? corrected)
}

/**
 * Replaces a condition of find(1), such as `-mtime -1` or `-size +10k`, with the flag of `drv find`;
 * `undefined` for other flags and values.
 */
export function withCondition(
  line: readonly string[],
  spelling: string,
): readonly string[] | undefined {
  const at = line.indexOf(spelling)
  const [, sign = '', number] = /^([+-]?)(\d+\w*)$/.exec(line[at + 1] ?? '') ?? []
  const known = CONDITIONS[spelling.replace(/^-+/, '') as keyof typeof CONDITIONS]
  if (at < 0 || number === undefined || known === undefined) return undefined
  const {more, less, unit} = known
  return line.toSpliced(at, 2, sign === '+' ? more : less, `${number}${unit}`)
}

const CONDITIONS = {
  mtime: {more: '--older', less: '--newer', unit: 'd'},
  mmin: {more: '--older', less: '--newer', unit: 'm'},
  size: {more: '--larger', less: '--smaller', unit: ''},
} as const

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
