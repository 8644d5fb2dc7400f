import type {Operation} from '#lib/api/operations.js'
import {parseQuery} from '#lib/api/query/parse.js'
import {QueryError, queryFieldsOf} from '#lib/api/query/query.js'
import {type Suggestion, suggestion} from '#lib/cli/output/suggestion.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {displayWidth} from '#lib/cli/terminal/width.js'
import {printable} from '#lib/platform/sanitize.js'
import {own} from '#lib/platform/values.js'

/** Characters of the query that are shown before the spot, and behind it. */
const AROUND = 36

/** Throws `UsageError` for a `--q` that is no query, with a caret under the spot and the right word. */
export function refuseUnreadableQuery(operation: Operation, text: string): void {
  try {
    parseQuery(text, {fields: queryFieldsOf(operation)})
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const {at, found} = error
    const where = found === '' ? 'it ends too early' : `look at ${printable(found, AROUND)}`
    const {hint, meant} = suggestionFor(error)
    throw new UsageError(`--q is no query: ${where}.`, hint, linesFor(text, at), meant)
  }
}

/** What the service cannot search for, with the line that does. */
const FOUND_BY_FIND: Readonly<Record<string, string>> = {
  size: 'drv find --larger 10M',
  fileSize: 'drv find --larger 10M',
  path: 'drv find /FOLDER',
}

function suggestionFor({found, expected}: QueryError): Suggestion {
  const line = own(FOUND_BY_FIND, found)
  if (line !== undefined) {
    return {hint: `The service cannot search by ${found}; \`${line}\` can.`, meant: []}
  }
  if (found === '\\') {
    return {hint: String.raw`In quotes a backslash is \\, and a quote \'.`, meant: []}
  }
  if (/^['"]./su.test(found) && expected.some(words => words.includes('in quotes'))) {
    return {hint: 'A quote ends that text, of the kind it begins with.', meant: []}
  }
  const all = `What may stand there: ${expected.join(', ') || 'nothing more'}.`
  return suggestion('fields', found, expected, all)
}

/** The query around a place on one line, and a caret under it on the next. */
function linesFor(text: string, at: number): string[] {
  const from = at > 2 * AROUND ? at - AROUND : 0
  const to = text.length > at + 2 * AROUND ? at + AROUND : text.length
  const before = (from > 0 ? '…' : '') + oneLine(text.slice(from, at))
  const behind = oneLine(text.slice(at, to)) + (to < text.length ? '…' : '')
  return [before + behind, `${' '.repeat(displayWidth(before))}^`]
}

/** The same on one line; blanks at the ends stay, for the caret counts them. */
function oneLine(text: string): string {
  return [...text].map(character => printable(character) || ' ').join('')
}
