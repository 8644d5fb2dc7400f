import {Args, type Interfaces} from '@oclif/core'
import {operation, type OperationId} from '#lib/api/operations.js'
import {checkOneReader} from '#lib/cli/input/stdin-use.js'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {UsageError} from '#lib/cli/terminal/errors.js'
import {NOTHING_DONE} from '#lib/cli/explain/interruption.js'
import {refuseChanges} from '#lib/cli/guard/read-only.js'
import {manyFlags} from '#lib/cli/input/several.js'
import type {Row} from '#lib/cli/output/format.js'
import {problemLine} from '#lib/cli/terminal/units.js'
import type {Given} from '#lib/cli/input/missing-inputs.js'
import type {Context} from '#lib/cli/context/context.js'
import {runPlan} from '#lib/cli/run/engine.js'
import {labelOf, type Step} from '#lib/cli/run/plan.js'
import {lookAt} from './read-access.js'
import {type Named, namedBy, pairsOf} from './pairs.js'
import {CHANGE_COLUMNS} from './plan.js'
import {whoIn} from '#lib/cli/input/who.js'

export const sharingArgs = {
  words: Args.string({
    description:
      'Files and folders (path, link or ID), or - for lines of standard input; and who: e-mail addresses, @example.com for a domain, anyone for whoever has the link.',
    multiple: true,
    ignoreStdin: true,
  }),
}

export const sharingFlags = {from: manyFlags.from}

/** What `drv share` and `drv unshare` have in common. */
export abstract class SharingCommand extends BaseCommand {
  static override baseFlags: Interfaces.FlagInput = BaseCommand.baseFlags

  /** The operation that it comes down to most of the time. */
  protected abstract operationId(): OperationId

  protected override acceptedScopes() {
    return operation(this.operationId()).scopes
  }

  protected override async beforeAsking(context: Context): Promise<void> {
    await refuseChanges(context, `\`drv ${this.commandName()}\``)
  }

  /** How many of the words are files and how many people; no request and no standard input for it. */
  protected counted({args}: Given) {
    const words = [args.words ?? []].flat().map(String)
    const whos = words.filter(word => whoIn(word)).length
    return {files: words.length - whos, whos}
  }

  /** The files and people of the command line. Throws `UsageError` where no file is named. */
  protected async named(given: Given, isGroup: boolean): Promise<Named> {
    checkOneReader(given)
    const words = [given.args.words ?? []].flat().map(String)
    const named = await namedBy(words, isGroup, this.context)
    if (named.files.length > 0 || given.flags.from !== undefined) return named
    throw new UsageError('FILE is missing: the file or folder, by path, link or ID.')
  }

  /** Each file with each person, and who has access to the files now. */
  protected async looked(named: Named, from: string | undefined, isGroup: boolean) {
    this.context.onInterrupt(() => NOTHING_DONE)
    const pairs = await pairsOf(named, from, isGroup, this.context)
    const files = [...new Set(pairs.map(({file}) => file))]
    const found = await lookAt(this.context, files)
    return {pairs, looked: new Map(found.map(one => [one.file, one]))}
  }

  /** Carries out the steps, or only shows what they would do. */
  protected async carryOut(steps: readonly Step[]): Promise<void> {
    const {context} = this
    if (context.options.dryRun) return this.showSteps(steps)
    const columns = [...CHANGE_COLUMNS]
    const printOne = (record: Row = {}) =>
      this.printer.isStructured
        ? this.printer.record(record)
        : this.printer.records([record], columns, 'share')
    await runPlan(
      {
        context,
        explain: error => this.explained(error),
        results: {
          output: this.printer.output,
          isOfLists: false,
          text: () =>
            (this.printer.output.array ?? this.printer.output.list)({
              ...this.printer.layout(columns),
              ...(!context.options.columns && {name: 'share'}),
            }),
          prepared: records => this.printer.prepare(records),
          show: text => this.printer.show(text),
        },
      },
      steps,
      {total: steps.length, goOn: AGAIN, ...(steps.length === 1 && {printOne})},
    )
  }

  private async showSteps(steps: readonly Step[]): Promise<void> {
    const rows = steps.map((step): Row => {
      if ('error' in step) {
        const {message} = this.explained(step.error)
        if (!this.printer.isStructured) {
          this.context.io.say(`Would fail: ${problemLine(labelOf(step), message)}`)
        }
        return {...(step.original as Row), error: message}
      }
      return {operation: 'call' in step ? step.call.id : 'nothing', ...step.rowOf?.(undefined)}
    })
    const shown = this.printer.isStructured ? rows : rows.filter(({error}) => error === undefined)
    await this.printer.records(shown, ['operation', 'file', 'who', 'role', 'before'])
  }
}

/** Sharing again changes nothing that is as it should be. */
const AGAIN = 'Run the same command again: what is done stays as it is.'
