import type {Operation} from '#lib/api/operations.js'
import type {Context} from '#lib/cli/context/context.js'
import {
  columnNames,
  isColumnsHelp,
  refuseColumnsNotAmong,
  refuseUnknownColumns,
} from '#lib/cli/output/columns-flag.js'
import {exitWith, UsageError} from '#lib/cli/terminal/errors.js'
import {exitCodes} from '#lib/cli/terminal/exit-codes.js'
import type {Printer} from './printer.js'

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
