import type {Operation} from '#lib/api/operations.js'
import {parseQuery} from '#lib/api/query/parse.js'
import {QueryError, queryFieldsOf} from '#lib/api/query/query.js'
import {type Suggestion, suggestionText} from '#lib/cli/output/suggestion.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {displayWidth} from '#lib/cli/terminal/width.js'
import {printable} from '#lib/platform/sanitize.js'
import {ownProperty} from '#lib/platform/values.js'

/** Characters of the query to show before and after the error. */
const EXCERPT = 36

/** Throws `UsageError` for an invalid `--q`, with a caret under the error and a suggestion. */
export function refuseUnreadableQuery(operation: Operation, text: string): void {
  try {
    parseQuery(text, {fields: queryFieldsOf(operation)})
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    const {at, found} = error
    const problem = found === '' ? 'unexpected end' : `unexpected "${printable(found, EXCERPT)}"`
    const {hint, meant} = suggestionFor(error)
    throw new UsageError(`Invalid --q: ${problem}.`, hint, linesFor(text, at), meant)
  }
}

/** Fields the service cannot search, with the command that can. */
const FIND_COMMANDS: Readonly<Record<string, string>> = {
  size: 'drv find --larger 10M',
  fileSize: 'drv find --larger 10M',
  path: 'drv find /FOLDER',
}

function suggestionFor({found, expected}: QueryError): Suggestion {
  const command = ownProperty(FIND_COMMANDS, found)
  if (command !== undefined) {
    return {hint: `The service cannot search by ${found}. Use \`${command}\`.`, meant: []}
  }
  if (found === '\\') {
    return {
      hint: String.raw`In a quoted string, write \\ for a backslash and \' for a quote.`,
      meant: [],
    }
  }
  if (/^['"]./su.test(found) && expected.some(label => label.includes('quoted'))) {
    return {hint: 'Close the string with the quote it starts with.', meant: []}
  }
  const tokens = expected.map(label => (/^(\w+|\W)$/.test(label) ? `"${label}"` : label))
  const [one = 'the end of the query', ...others] = tokens
  const all = `Expected ${others.length > 0 ? `one of: ${tokens.join(', ')}` : one}.`
  return suggestionText('fields', found, expected, all)
}

/** The query around an offset on one line, and a caret below it on the next. */
function linesFor(text: string, at: number): string[] {
  const from = at > 2 * EXCERPT ? at - EXCERPT : 0
  const to = text.length > at + 2 * EXCERPT ? at + EXCERPT : text.length
  const before = (from > 0 ? '…' : '') + oneLine(text.slice(from, at))
  const after = oneLine(text.slice(at, to)) + (to < text.length ? '…' : '')
  return [before + after, `${' '.repeat(displayWidth(before))}^`]
}

/** The text on one line. Keeps spaces at the ends, so that the caret position is right. */
function oneLine(text: string): string {
  return [...text].map(character => printable(character) || ' ').join('')
}
