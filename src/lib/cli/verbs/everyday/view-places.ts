import {Args, Flags} from '@oclif/core'
import {operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {sentenceFor} from '#lib/cli/explain/explain.js'
import type {Parsed, Values} from '#lib/cli/input/call-input.js'
import {checkOneReader} from '#lib/cli/input/items/several.js'
import {PATH_COLUMN} from '#lib/cli/output/columns-flag.js'
import type {OutputFormat, Row} from '#lib/cli/output/format.js'
import type {TableName} from '#lib/cli/output/kind-columns.js'
import {isNumber} from '#lib/cli/output/people.js'
import {nullFormat} from '#lib/cli/output/row-formats.js'
import type {Columns, Printer, PrinterOptions} from '#lib/cli/run/printer.js'
import {cell} from '#lib/cli/terminal/cell.js'
import {CommandError, UsageError} from '#lib/cli/terminal/errors.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {count, problemLine, sizeText} from '#lib/cli/terminal/units.js'
import {isFolder} from './file-rows.js'
import {type Listing, listPlaces, type Seen} from './list-places.js'
import {filesOf} from './path-arguments.js'
import {type Opened, type Place, placeIn} from './places.js'

/** Where verbs look: anywhere. */
export const placeArgs = {
  path: Args.string({
    description:
      "Files and folders: paths, also globs such as '/photos/*.jpg', links or IDs; drive:, trash: or shared:. - reads them from standard input.",
    multiple: true,
    ignoreStdin: true,
  }),
}

/** How rows look outside JSON. */
export interface RowsOptions {
  readonly columns: readonly string[]
  /** The columns of a table for people. */
  readonly name: TableName
  /** At a terminal names alone, one a line. */
  readonly isNames?: boolean
}

const PLAN_COLUMNS = ['action', 'thing']

/** Scopes of which the service requires one. */
export const lookScopes = operation('files.list').scopes

/** The columns of verbs that print files. */
export function fileColumns(flags: Values): Columns {
  return flags['dry-run'] ? PLAN_COLUMNS : {of: operation('files.list')}
}

/**
 * The places that a command line names, with the lines of standard input in the place of `-` and what
 * globs match in theirs; the top of My Drive where it names none. `fields` are asked of what globs match.
 * Throws `UsageError`, and what the resolver do.
 */
export async function placesOf(
  given: Parsed,
  context: Context,
  fields?: readonly string[],
): Promise<Place[]> {
  checkOneReader(given)
  const {path} = given.args
  const {from} = given.flags
  const isTop = path === undefined && from === undefined
  return (await filesOf(context, {words: isTop ? '/' : path, from}, fields)).map(placeIn)
}

/**
 * Shows what is at the places of a command line; with `--dry-run` the operations that would run. Throws
 * as `reportFailures` does once the rest is shown.
 */
export async function viewPlaces(
  given: Parsed,
  context: Context,
  printer: Printer,
  listing: Listing,
  show: (seen: readonly Seen[]) => Promise<void>,
): Promise<void> {
  const places = await placesOf(given, context, listing.fields.asked)
  if (context.options.dryRun) {
    const rows = places.map(({of, text}) => ({
      action: of === 'drives' ? 'drives.list' : 'files.list',
      thing: text,
    }))
    return printer.records(rows, PLAN_COLUMNS)
  }
  const seen = await listPlaces(context, places, listing)
  await show(seen)
  reportFailures(places, seen, context)
}

/** Prints rows: at a terminal the table of that name, else these columns; with `--format ids` IDs alone. */
export async function printRows(
  rows: readonly Row[],
  {columns, name, isNames}: RowsOptions,
  {options}: Context,
  {output, layout, prepare, show}: Printer,
): Promise<void> {
  if (isNames && output.isForPeople) return show(rows.map(row => `${nameOf(row)}\n`).join(''))
  const isTable = output.isForPeople && !options.columns
  const text = output.records(await prepare(rows), {
    ...layout(output.fields ? undefined : columns),
    ...(isTable && {name}),
  })
  await show(await text)
}

/** With `--null` the paths of rows, for whatever reads names that end with NUL. */
export function nullPaths(_: Values, {options}: Pick<Context, 'options'>): PrinterOptions {
  const isRows = ({isForPeople, isRows}: OutputFormat) => isForPeople === true || isRows === true
  const adapt = (output: OutputFormat) => (isRows(output) ? nullFormat([PATH_COLUMN]) : output)
  return options.null ? {adapt} : {}
}

/** Reports the places that lead nowhere, each with its reason; throws `CommandError('partial')` then. */
export function reportFailures(
  places: readonly Place[],
  seen: ReadonlyArray<Seen | Opened>,
  {io}: Context,
): void {
  const failures = seen.flatMap((one, index) =>
    one.kind === 'error' ? [problemLine(places[index]!.text, sentenceFor(one.error))] : [],
  )
  // An error is said even when nothing else is.
  for (const line of failures) io.say(`Failed: ${line}`)
  if (failures.length === 0) return
  throw new CommandError('partial', `${count(failures.length, 'place')} could not be shown.`)
}

/** The name of a thing as lists for people show it; a folder's ends with a slash. */
function nameOf(row: Row): string {
  return `${cell(row.title)}${isFolder(row) ? '/' : ''}`
}

/** `-h`, for sizes outside tables, which have them anyway. */
export const humanSizesFlag = {
  'human-readable': Flags.boolean({
    summary: 'Print sizes such as 4.2 MiB in a pipe too.',
    char: 'h',
  }),
}

/** The same rows, with the bytes of a field as people read them; as they are for people and programs. */
export function withSizeTexts(
  rows: readonly Row[],
  field: string,
  {output}: Printer,
): readonly Row[] {
  if (output.isForPeople || output.isStructured) return rows
  return rows.map(row =>
    isNumber(row[field]) ? {...row, [field]: sizeText(Number(row[field]))} : row,
  )
}

/** The flag that says how far down to look. */
export function depthFlag(summary: string, char: 'd' | 'L') {
  return {
    depth: ranked(1, Flags.string({summary, helpValue: 'N', char, aliases: ['max-depth']})),
  }
}

/** How many levels a command line asks for; `otherwise` where it says nothing. Throws `UsageError`. */
export function depthIn(text: string | undefined, least: number, otherwise: number): number {
  if (text === undefined) return otherwise
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text)
  throw new UsageError(`--depth must be a whole number from ${least} on, not "${text}".`)
}
