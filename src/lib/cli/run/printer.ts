import type {Operation} from '#lib/api/operations.js'
import type {Listed} from '#lib/cli/context/completion-file.js'
import type {Context} from '#lib/cli/context/context.js'
import {picked, withNumbers} from '#lib/cli/output/columns.js'
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

/** Prints results to standard output, in the format in force. */
export interface Printer {
  /** The name of the format in force; with `--jq`, of the format that jq's results are printed in. */
  readonly format: FormatName
  readonly output: OutputFormat
  /** Whether results are for programs: whole records, such as JSON. */
  readonly isStructured: boolean
  /** Whether a change is told in a line: a person reads, who asked for no format and no columns. */
  readonly isProse: boolean
  /** What decides how records look outside JSON; `--columns` comes before `columns`. */
  layout(columns?: readonly string[]): Layout
  /** Records as they are printed: of whole ones only the columns that `--columns` names. */
  prepare(records: readonly Row[]): Promise<readonly Row[]>
  /**
   * Prints one record: as a block of names and values, a row, or JSON. `columns` names the fields to
   * show outside JSON, in order; without it the record's kind decides.
   */
  record(record: Row, columns?: readonly string[]): Promise<void>
  /**
   * Prints a list of records at once: a table, rows, or JSON (an array). `name` says what they are,
   * for a table's columns.
   */
  records(
    records: readonly Row[],
    columns?: readonly string[],
    name?: Layout['name'],
  ): Promise<void>
  /**
   * Prints what a dry run would do, one row for each thing; returns false, and prints nothing, when
   * this is no dry run.
   */
  preview(action: string, ...things: readonly string[]): Promise<boolean>
  /**
   * Lets shell completion offer the IDs of rows that a person sees; of records that belong to a file,
   * together with the words that name the file.
   */
  remember(of: Listed | undefined, rows: readonly Row[], file?: readonly string[]): Promise<void>
  /**
   * Prints a result that may be long: through a pager where that is for a person to read. Throws
   * `ClosedPipe` when the reader of a pipe has gone.
   */
  show(text: string): Promise<void>
  /** Prints text at once. Throws `ClosedPipe` when the reader of a pipe has gone. */
  print(text: string): Promise<void>
  /** The same for sentences about changes: the names in them are harmless already, and an ID may be dim. */
  printProse(text: string): Promise<void>
}

export interface PrinterOptions {
  /** Sizes and counts stay texts, as the service sends them; otherwise they are numbers to programs. */
  readonly keepsTexts?: boolean
  /** Prints what jq makes of the results. */
  readonly jq?: OutputFormat
  /** Adapts the format in force to the command. */
  readonly adapt?: (output: OutputFormat) => OutputFormat
  /** The columns of records whose command names none. */
  readonly columns?: (output: OutputFormat) => readonly string[] | undefined
  /** `false` prints whatever is long without a pager. */
  readonly isPaged?: boolean
  /** Completes records before they are printed. */
  readonly complete?: (records: readonly Row[], output: OutputFormat) => Promise<readonly Row[]>
}

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
  const wanted = context.options.columns

  // What is exact for programs is harmless at a terminal, which would obey what names may hold.
  const tame = (text: string) => (io.isTerminal ? harmless(text) : text)

  async function prepare(records: readonly Row[]): Promise<readonly Row[]> {
    const completed = options.complete ? await options.complete(records, output) : records
    const whole = isStructured && !options.keepsTexts ? completed.map(withNumbers) : completed
    return wanted && isStructured ? whole.map(record => picked(record, wanted)) : whole
  }

  function layout(columns = options.columns?.(output)): Layout {
    const {width, color} = io
    return {width, color, columns: wanted ?? columns}
  }

  async function remember(
    of: Listed | undefined,
    rows: readonly Row[],
    file?: readonly string[],
  ): Promise<void> {
    if (of === undefined || rows.length === 0 || !io.isTerminal || isStructured) return
    const {completionFile, keepListing} = await import('#lib/cli/context/completion-file.js')
    const kept = completionFile(context.caches, await context.settings(), 'listed')
    await keepListing(kept, {of, file, rows})
  }

  async function show(text: string): Promise<void> {
    if (text === '') return
    const shown = output.isForPeople ? text : tame(text)
    await (options.isPaged === false ? write(io.stdout, shown) : pager.print(shown))
    waits.shown()
  }

  async function printProse(text: string): Promise<void> {
    if (text === '') return
    await write(io.stdout, text)
    waits.shown()
  }

  async function records(
    rows: readonly Row[],
    columns?: readonly string[],
    name?: Layout['name'],
  ): Promise<void> {
    // Columns that a person asks for come before those of a table for people.
    const table = wanted ? undefined : name
    if (name && rows.length === 0 && output.isForPeople) note(`No ${name}s.`)
    await show(await output.records(await prepare(rows), {...layout(columns), name: table}))
    const isFile = ({id, title}: Row) => typeof id === 'string' && typeof title === 'string'
    if (rows.every(isFile)) await remember('file', rows)
  }

  return {
    format,
    output,
    isStructured,
    isProse: io.isTerminal && !context.options.format && !wanted && !options.jq,
    layout,
    prepare,
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
    print: text => printProse(tame(text)),
    printProse,
  }
}

/**
 * The columns of the records that a command prints: their names, or the operation whose records they
 * are. Of these the description knows more fields than are listed, since a record may hold others.
 */
export type Columns = readonly string[] | {readonly of: Operation}

/** The names of columns, for lists of them. */
export function namesOf(columns: Columns): readonly string[] {
  return 'of' in columns ? columnNames(columns.of) : columns
}

/**
 * Ends the command before its work where `--columns` asks for the names of columns. Throws `UsageError`
 * for a column that does not exist, and for a command that prints no records.
 */
export async function settleColumns(
  {options, command}: Pick<Context, 'options' | 'command'>,
  printer: Pick<Printer, 'print'>,
  columns: Columns,
): Promise<void> {
  if (!options.columns) return
  const names = namesOf(columns)
  if (names.length === 0) {
    throw new UsageError(
      `\`drv ${command}\` writes no records, so that there are no columns.`,
      'Leave out --columns.',
    )
  }
  if (isColumnsHelp(options.columns)) {
    await printer.print(names.map(name => `${name}\n`).join(''))
    exitWith(exitCodes.done)
  }
  if ('of' in columns) refuseUnknownColumns(columns.of, options.columns)
  else refuseColumnsNotAmong(names, options.columns)
}
