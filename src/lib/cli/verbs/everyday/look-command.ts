import {Args, type Interfaces} from '@oclif/core'
import {operation} from '#lib/api/operations.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import {checkOneReader} from '#lib/cli/input/stdin-use.js'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {sentenceFor} from '#lib/cli/explain/explain.js'
import type {Row, TableName} from '#lib/cli/output/format.js'
import {count, problemLine} from '#lib/cli/terminal/units.js'
import {type Place, placeIn} from './remote-path.js'
import {wordsOf} from './path-arguments.js'

/** Where verbs look: anywhere. */
export const placeArgs = {
  path: Args.string({
    description:
      'Files and folders (path, link or ID), drive:, trash: or shared:. Several may be named, or - for the lines of standard input.',
    multiple: true,
    ignoreStdin: true,
  }),
}

/** How rows look outside JSON. */
export interface RowsOptions {
  readonly columns: readonly string[]
  /** The columns of a table for people. */
  readonly name: TableName
}

/** What came of a place, as far as that went wrong. */
interface Outcome {
  readonly kind: string
  readonly error?: unknown
}

const PLAN_COLUMNS = ['action', 'thing']

/** The ground of the verbs that look at what is in the service, and change nothing there. */
export abstract class LookCommand extends BaseCommand {
  // For the manifest oclif follows the parents of a class only as far as each has a static of its own.
  static override baseFlags = BaseCommand.baseFlags

  protected override acceptedScopes() {
    return operation('files.list').scopes
  }

  /** The columns of its rows, where these are more or fewer than the fields of files. */
  protected ownColumns(): readonly string[] | undefined {
    return undefined
  }

  protected override columns(flags: Interfaces.OutputFlags<Interfaces.FlagInput>) {
    if (flags['dry-run']) return PLAN_COLUMNS
    return this.ownColumns() ?? {of: operation('files.list')}
  }

  /**
   * The places that a command line names, with the lines of standard input in the place of `-`; the top
   * of My Drive where it names none. Throws `UsageError`.
   */
  protected async places(given: Parsed): Promise<Place[]> {
    checkOneReader(given)
    const {path} = given.args
    const {from} = given.flags
    const isTop = path === undefined && from === undefined
    return (await wordsOf(this.context, {words: isTop ? '/' : path, from})).map(placeIn)
  }

  /** Writes the operations that would run, and for what, where only that is wanted; tells whether it did. */
  protected async plansOnly(places: readonly Place[]): Promise<boolean> {
    if (!this.context.options.dryRun) return false
    const rows = places.map(({of, text}) => ({
      action: of === 'drives' ? 'drives.list' : 'files.list',
      thing: text,
    }))
    await this.printer.records(rows, PLAN_COLUMNS)
    return true
  }

  /** Writes rows: at a terminal the table of that name, else these columns; IDs alone for the format of them. */
  protected async printRows(rows: readonly Row[], {columns, name}: RowsOptions): Promise<void> {
    const isTable = this.printer.output.isForPeople && !this.context.options.columns
    const layout = this.printer.layout(this.printer.output.fields ? undefined : columns)
    const text = this.printer.output.records(await this.printer.prepare(rows), {
      ...layout,
      ...(isTable && {name}),
    })
    await this.printer.show(await text)
  }

  /** Says which of some places lead nowhere, and why; ends the command with its own code then. */
  protected tellFailures(places: readonly Place[], seen: readonly Outcome[]): void {
    const failures = seen.flatMap((one, index) =>
      one.kind === 'error' ? [problemLine(places[index]!.text, sentenceFor(one.error))] : [],
    )
    // An error is said even when nothing else is.
    for (const line of failures) this.context.io.say(`Failed: ${line}`)
    if (failures.length === 0) return
    throw new CommandError('partial', `${count(failures.length, 'place')} could not be shown.`)
  }
}
