import {Args, Flags} from '@oclif/core'
import {operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {errorSentence} from '#lib/cli/explain/explain.js'
import type {FlagValues, Parsed} from '#lib/cli/input/call-input.js'
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
import {createListedRecords, listPlaces, type ListResult, type SeenFolders} from './list-places.js'
import {filesOf} from './path-arguments.js'
import {type OpenedTarget, parseRemoteTarget, type RemoteTarget} from './places.js'

/** The argument of verbs that list files and folders anywhere. */
export const placeArgs = {
  path: Args.string({
    description:
      "Files and folders: paths, drive:, trash:, shared:, patterns such as '/photos/*.jpg', links or IDs; - reads them from standard input.",
    multiple: true,
    ignoreStdin: true,
  }),
}

/** How rows are printed outside JSON. */
export interface RowsOptions {
  readonly columns: readonly string[]
  /** Name of the table at a terminal, which determines its columns. */
  readonly name: TableName
  /** At a terminal, print only names, one per line. */
  readonly isNames?: boolean
}

const PLAN_COLUMNS = ['action', 'thing']

/** The scopes for listing files; the service requires one of them. */
export const listScopes = operation('files.list').scopes

/** The columns available in verbs that print files. */
export function fileColumns(flags: FlagValues): Columns {
  return flags['dry-run'] ? PLAN_COLUMNS : {of: operation('files.list')}
}

/**
 * The places in the arguments (default: the root of My Drive). The lines of standard input replace `-`, and
 * the matches of a glob, requested with `fields`, replace the glob. Throws `UsageError`, and the errors of
 * requests.
 */
export async function placesOf(
  input: Parsed,
  context: Context,
  fields?: readonly string[],
): Promise<RemoteTarget[]> {
  checkOneReader(input)
  const {path} = input.args
  const {from} = input.flags
  const isTop = path === undefined && from === undefined
  return (await filesOf(context, {words: isTop ? '/' : path, from}, fields)).map(parseRemoteTarget)
}

/**
 * Lists the places of a command line and passes them to `show`; with `--dry-run`, prints the operations that
 * would run. Then throws as `reportFailures` does.
 */
export async function viewPlaces(
  input: Parsed,
  context: Context,
  printer: Printer,
  listing: ListResult,
  show: (seen: readonly SeenFolders[]) => Promise<void>,
): Promise<void> {
  const places = await placesOf(input, context, listing.fields.requested)
  if (context.options.dryRun) {
    const rows = places.map(({of, text}) => ({
      action: of === 'drives' ? 'drives.list' : 'files.list',
      thing: text,
    }))
    return printer.records(rows, PLAN_COLUMNS)
  }
  const listed = createListedRecords()
  try {
    const seen = await listPlaces(context, places, listing, listed)
    await show(seen)
    reportFailures(places, seen, context)
  } finally {
    listed.close()
  }
}

/** Prints rows: at a terminal as the named table, elsewhere with these columns; with `--format ids`, only IDs. */
export async function printRows(
  rows: Iterable<Row>,
  {columns, name, isNames}: RowsOptions,
  {options}: Context,
  printer: Printer,
): Promise<void> {
  const {output, layout, show} = printer
  if (isNames && output.isForPeople) {
    return show(Array.from(rows, row => `${nameOf(row)}\n`).join(''))
  }
  const isTable = output.isForPeople && !options.columns
  const how = {...layout(output.fields ? undefined : columns), ...(isTable && {name})}
  await printer.rows(rows, how)
}

/** With `--null`, prints only the paths of rows, each followed by NUL, for programs such as `xargs -0`. */
export function nullPaths(_: FlagValues, {options}: Pick<Context, 'options'>): PrinterOptions {
  const isRows = ({isForPeople, isRows}: OutputFormat) => isForPeople === true || isRows === true
  const adapt = (output: OutputFormat) => (isRows(output) ? nullFormat([PATH_COLUMN]) : output)
  return options.null ? {adapt} : {}
}

/** Reports each place that failed, with the reason; then throws `CommandError('partial')`. */
export function reportFailures(
  places: readonly RemoteTarget[],
  seen: ReadonlyArray<SeenFolders | OpenedTarget>,
  {io}: Context,
): void {
  const failures = seen.flatMap((one, index) =>
    one.kind === 'error' ? [problemLine(places[index]!.text, errorSentence(one.error))] : [],
  )
  // Errors are printed even with --quiet.
  for (const line of failures) io.say(`Failed: ${line}`)
  if (failures.length === 0) return
  throw new CommandError('partial', `Could not list ${count(failures.length, 'path')}.`)
}

/** The name of an item in lists at a terminal; the name of a folder ends with a slash. */
function nameOf(row: Row): string {
  return `${cell(row.title)}${isFolder(row) ? '/' : ''}`
}

/** `-h`, for output outside tables; tables always show human-readable sizes. */
export const humanSizesFlag = {
  'human-readable': Flags.boolean({
    summary: 'Print sizes such as 4.2 MiB in a pipe too.',
    char: 'h',
  }),
}

/** The same rows with a field of bytes as text such as `4.2 MiB`; tables and structured formats keep the bytes. */
export function* withSizeTexts(
  rows: Iterable<Row>,
  field: string,
  {output}: Printer,
): Generator<Row> {
  const isText = !output.isForPeople && !output.isStructured
  for (const row of rows) {
    const size = isText && isNumber(row[field]) ? sizeText(Number(row[field])) : undefined
    yield size === undefined ? row : {...row, [field]: size}
  }
}

/** The flag for the number of levels to list. */
export function depthFlag(summary: string, char: 'd' | 'L') {
  return {
    depth: ranked(1, Flags.string({summary, helpValue: 'N', char, aliases: ['max-depth']})),
  }
}

/** The value of `--depth`, or `otherwise` without it. Throws `UsageError` below `least`. */
export function depthIn(text: string | undefined, least: number, otherwise: number): number {
  if (text === undefined) return otherwise
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text)
  throw new UsageError(`Invalid --depth: must be an integer of at least ${least}, not "${text}".`)
}
