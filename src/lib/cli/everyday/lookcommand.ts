import type {Interfaces} from '@oclif/core'
import {type OperationId, operation} from '../../api/operations.js'
import {BaseCommand} from '../command/base.js'
import {columnNames, refuseUnknownColumns} from '../command/columnsflag.js'
import {CommandError} from '../command/errors.js'
import {sentenceFor} from '../explain/explain.js'
import type {Row, TableName} from '../output/format.js'
import {count, problemLine} from '../transfer/summary.js'

const PLAN_COLUMNS = ['action', 'thing']

/** The ground of the verbs that look at what is in the service, and change nothing there. */
export abstract class LookCommand extends BaseCommand {
  // For the manifest oclif follows the parents of a class only as far as each has a static of its own.
  static override baseFlags = BaseCommand.baseFlags

  #failed = 0

  protected override acceptedScopes() {
    return operation('files.list').scopes
  }

  /** The columns of its rows, where these are more or fewer than the fields of files. */
  protected ownColumns(): readonly string[] | undefined {
    return undefined
  }

  protected override columnNames(flags: Interfaces.OutputFlags<Interfaces.FlagInput>) {
    if (flags['dry-run']) return PLAN_COLUMNS
    return this.ownColumns() ?? columnNames(operation('files.list'))
  }

  protected override checkColumns(columns: readonly string[], names: readonly string[]): void {
    if (names === PLAN_COLUMNS || this.ownColumns()) super.checkColumns(columns, names)
    else refuseUnknownColumns(operation('files.list'), columns)
  }

  /** The words of an argument, with the lines of standard input in the place of `-`; `none` where there are none. */
  protected async words(given: unknown, none?: string): Promise<string[]> {
    const words = [given ?? none ?? []].flat().map(String)
    if (!words.includes('-')) return words
    const {wordsOfStdin} = await import('../many/stdin.js')
    const lines = await wordsOfStdin(this.context, 'fileId')
    const at = words.indexOf('-')
    return [...words.slice(0, at), ...lines, ...words.slice(at + 1).filter(word => word !== '-')]
  }

  /** Writes the operations that would run, and what for, where only that is wanted; tells whether it did. */
  protected async plansOnly(
    steps: ReadonlyArray<readonly [OperationId, string]>,
  ): Promise<boolean> {
    if (!this.context.options.dryRun) return false
    const rows = steps.map(([action, thing]) => ({action, thing}))
    await this.printRecords(rows, PLAN_COLUMNS)
    return true
  }

  /** Writes rows: at a terminal the table of that name, else these columns; IDs alone for the format of them. */
  protected async printRows(
    rows: readonly Row[],
    {columns, name}: {readonly columns: readonly string[]; readonly name: TableName},
  ): Promise<void> {
    const isTable = this.output.isForPeople && !this.context.options.columns
    const layout = this.layout(this.output.fields ? undefined : columns)
    const text = this.output.records(await this.prepared(rows), {
      ...layout,
      ...(isTable && {name}),
    })
    await this.show(await text)
  }

  /** Says what is wrong with one of several things, while the others are shown. */
  protected failed(word: string, error: unknown): void {
    this.#failed += 1
    // An error is said even when nothing else is.
    this.context.io.stderr.write(`Failed: ${problemLine(word, sentenceFor(error))}\n`)
  }

  /** Ends the command with its own code where something failed. */
  protected checkFailures(): void {
    if (this.#failed === 0) return
    throw new CommandError('partial', `${count(this.#failed, 'thing')} could not be shown.`)
  }
}
