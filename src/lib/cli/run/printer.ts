import type {Operation} from '#lib/api/operations.js'
import type {Listed} from '#lib/cli/context/completion-file.js'
import type {Context} from '#lib/cli/context/context.js'
import {pickColumns, withNumbers} from '#lib/cli/output/columns.js'
import {
  columnNames,
  isColumnsHelp,
  refuseColumnsNotAmong,
  refuseUnknownColumns,
} from '#lib/cli/output/columns-flag.js'
import type {Layout, OutputFormat, Row} from '#lib/cli/output/format.js'
import {chooseFormat, type FormatName, formats} from '#lib/cli/output/formats.js'
import {nullFormat} from '#lib/cli/output/row-formats.js'
import {exitWith, UsageError} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import {write} from '#lib/cli/terminal/io.js'
import {harmless} from '#lib/platform/sanitize.js'
import {inPieces} from '#lib/platform/values.js'

/** Prints results to standard output, in the selected format. */
export interface Printer {
  /** The name of the selected format; with `--jq`, the format of jq's results. */
  readonly format: FormatName
  readonly output: OutputFormat
  /** Whether results are complete records for programs, such as JSON. */
  readonly isStructured: boolean
  /** Whether changes are printed as sentences: at a terminal, without a format or columns. */
  readonly isProse: boolean
  /** The layout for formats other than JSON; `--columns` overrides `columns`. */
  layout(columns?: readonly string[]): Layout
  /** Completes records for printing; with `--columns`, keeps only the named fields. */
  prepare(records: readonly Row[]): Promise<readonly Row[]>
  /**
   * Prints rows in a layout: piece by piece, so that there may be any number of them; at a terminal all at once, because
   * they share the widths of columns.
   */
  rows(rows: Iterable<Row>, layout: Layout): Promise<void>
  /**
   * Prints one record: names and values, a row, or JSON. `columns` are the fields to show in other formats
   * than JSON; by default, the kind of the record decides.
   */
  record(record: Row, columns?: readonly string[]): Promise<void>
  /** Prints a list of records: a table, rows, or a JSON array. `name` selects the table columns. */
  records(records: Iterable<Row>, columns?: readonly string[], name?: Layout['name']): Promise<void>
  /** In a dry run, prints one row per item; otherwise prints nothing and returns false. */
  preview(action: string, ...things: readonly string[]): Promise<boolean>
  /**
   * Stores the IDs of rows shown at a terminal for shell completion; for records of a file, with the words
   * that name the file.
   */
  remember(of: Listed | undefined, rows: readonly Row[], file?: readonly string[]): Promise<void>
  /** Prints a result, at a terminal through a pager. Throws `ClosedPipe` when the reader closes the pipe. */
  show(text: string): Promise<void>
  /** Prints text without a pager. Throws `ClosedPipe` when the reader closes the pipe. */
  print(text: string): Promise<void>
  /** Prints sentences about changes, which are clean already and can have color. */
  printProse(text: string): Promise<void>
}

export interface PrinterOptions {
  /** Keeps sizes and counts as strings, as the service sends them (default: numbers). */
  readonly keepsTexts?: boolean
  /** Filters the results with jq. */
  readonly jq?: OutputFormat
  /** Adapts the selected format to the command. */
  readonly adapt?: (output: OutputFormat) => OutputFormat
  /** The default columns. */
  readonly columns?: (output: OutputFormat) => readonly string[] | undefined
  /** `false` never uses a pager. */
  readonly isPaged?: boolean
  /** Completes records before they are printed. */
  readonly complete?: (records: readonly Row[], output: OutputFormat) => Promise<readonly Row[]>
}

/** Number of rows to print at a time. */
const PIECE = 1000

type Surroundings = Pick<
  Context,
  'options' | 'io' | 'pager' | 'note' | 'waits' | 'caches' | 'settings'
>

export function createPrinter(context: Surroundings, options: PrinterOptions = {}): Printer {
  const {io, pager, note, waits} = context
  const format = chooseFormat(context.options.format, io.isTerminal)
  const isNullIds = format === 'ids' && context.options.null
  const base = options.jq ?? (isNullIds ? nullFormat() : formats[format])
  const output = options.adapt ? options.adapt(base) : base
  const {isStructured} = output
  const chosen = context.options.columns

  // At a terminal, remove control characters, since names can contain them.
  const safe = (text: string) => (io.isTerminal ? harmless(text) : text)

  async function prepare(records: readonly Row[]): Promise<readonly Row[]> {
    const completed = options.complete ? await options.complete(records, output) : records
    const whole = isStructured && !options.keepsTexts ? completed.map(withNumbers) : completed
    return chosen && isStructured ? whole.map(record => pickColumns(record, chosen)) : whole
  }

  function layout(columns = options.columns?.(output)): Layout {
    const {width, color} = io
    return {width, color, columns: chosen ?? columns}
  }

  async function remember(
    of: Listed | undefined,
    rows: readonly Row[],
    file?: readonly string[],
  ): Promise<void> {
    if (of === undefined || rows.length === 0 || !io.isTerminal || isStructured) return
    const {completionFile, saveShownList} = await import('#lib/cli/context/completion-file.js')
    const kept = completionFile(context.caches, await context.settings(), 'listed')
    await saveShownList(kept, {of, file, rows})
  }

  async function show(text: string): Promise<void> {
    if (text === '') return
    const shown = output.isForPeople ? text : safe(text)
    await (options.isPaged === false ? write(io.stdout, shown) : pager.print(shown))
    waits.shown()
  }

  async function printProse(text: string): Promise<void> {
    if (text === '') return
    await write(io.stdout, text)
    waits.shown()
  }

  async function printRows(rows: Iterable<Row>, how: Layout): Promise<void> {
    // jq expressions can read all records.
    const isWhole = output.isForPeople || options.jq !== undefined
    const list = isWhole ? undefined : (output.array ?? output.list)(how)
    let isEmpty = true
    for (const piece of list ? inPieces(rows, PIECE) : [[...rows]]) {
      const prepared = await prepare(piece)
      isEmpty = false
      await show(await (list ? list.rows(prepared) : output.records(prepared, how)))
    }
    if (isEmpty) await show(await output.records([], how))
    else await show((await list?.end?.({})) ?? '')
  }

  async function records(
    given: Iterable<Row>,
    columns?: readonly string[],
    name?: Layout['name'],
  ): Promise<void> {
    const whole = io.isTerminal || output.isForPeople ? [...given] : undefined
    // --columns overrides the table columns.
    const table = chosen ? undefined : name
    if (name && output.isForPeople && whole?.length === 0) note(`No ${name}s.`)
    await printRows(whole ?? given, {...layout(columns), name: table})
    const isFile = ({id, title}: Row) => typeof id === 'string' && typeof title === 'string'
    if (whole?.every(isFile)) await remember('file', whole)
  }

  return {
    format,
    output,
    isStructured,
    isProse: io.isTerminal && !context.options.format && !chosen && !options.jq,
    layout,
    prepare,
    rows: printRows,
    records,
    remember,
    show,
    async record(record, columns) {
      const [shown = record] = await prepare([record])
      await show(await output.record(shown, layout(columns)))
    },
    async preview(action, ...things) {
      if (!context.options.dryRun) return false
      await records(
        things.map(thing => ({action, thing})),
        ['action', 'thing'],
      )
      return true
    },
    print: text => printProse(safe(text)),
    printProse,
  }
}

/** The columns of a command's records: names, or the operation whose response has them. */
export type Columns = readonly string[] | {readonly of: Operation}

/** The names of columns. */
export function columnNamesOf(columns: Columns): readonly string[] {
  return 'of' in columns ? columnNames(columns.of) : columns
}

/**
 * Checks `--columns`: prints the names for `--columns help` and ends the command; throws `UsageError` for
 * an unknown column, or if the command prints no records.
 */
export async function settleColumns(
  {options, command}: Pick<Context, 'options' | 'command'>,
  printer: Pick<Printer, 'print'>,
  columns: Columns,
): Promise<void> {
  if (!options.columns) return
  const names = columnNamesOf(columns)
  if (names.length === 0) {
    throw new UsageError(
      `\`drv ${command}\` prints no records, so it has no columns.`,
      'Remove --columns.',
    )
  }
  if (isColumnsHelp(options.columns)) {
    await printer.print(names.map(name => `${name}\n`).join(''))
    exitWith(exitCodes.done)
  }
  if ('of' in columns) refuseUnknownColumns(columns.of, options.columns)
  else refuseColumnsNotAmong(names, options.columns)
}
