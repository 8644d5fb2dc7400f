import {Flags} from '@oclif/core'
import {operation} from '#lib/api/operations.js'
import {textOf} from '#lib/api/validate.js'
import type {Parsed, Values} from '#lib/cli/input/call-input.js'
import {manyFlags} from '#lib/cli/input/items/several.js'
import type {Row} from '#lib/cli/output/format.js'
import {operationCommand, yes} from '#lib/cli/run/operation-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {recursionFlags, refuseTop} from '#lib/cli/verbs/everyday/path-arguments.js'

const Operation = operationCommand('files.trash', [], {
  name: 'rm',
  isBrief: true,
  checkOne: ({args}) =>
    refuseTop(
      String(args.file_id),
      'removed',
      'Name what is in it; `drv drives delete` deletes a shared drive.',
    ),
})

export default class Rm extends Operation {
  static override effect = 'may destroy' as const
  static override summary = 'Put files and folders into the trash; --permanently deletes them.'
  static override description = [
    'FILE_ID is a path, a link or an ID. A folder goes with all that is in it. `drv files untrash` takes out of the trash again.',
    'With --permanently there is no way back: at a terminal it asks, elsewhere it needs --yes.',
  ].join('\n\n')
  static override usage = 'rm FILE_ID... [FLAGS]'
  static override examples = examplesOf([
    ['Put a file into the trash', 'rm /Reports/q3.pdf'],
    [
      'Delete what is in the trash for good, without a question',
      'rm trash:/q2.pdf --permanently --yes',
    ],
    ['Put what a search finds into the trash', '$ drv find /logs --format ids | drv rm -'],
  ])
  static override flags = {
    permanently: Flags.boolean({summary: 'Delete for good, without the trash. It asks before.'}),
    yes,
    ...recursionFlags,
    ...manyFlags,
  }

  #isForGood = false
  /** What went into the trash, where it is one thing. */
  #id: string | undefined

  protected override operation() {
    return this.#isForGood ? operation('files.delete') : super.operation()
  }

  protected override columns(flags: Values) {
    return flags.permanently ? [] : super.columns(flags)
  }

  protected override settled(given: Parsed): Parsed {
    this.#isForGood = Boolean(given.flags.permanently)
    return given
  }

  protected override async execute(): Promise<void> {
    await super.execute()
    const {io, options, note} = this.context
    if (this.#isForGood || options.dryRun || !io.interactive) return
    note(`\`drv files untrash ${this.#id ?? 'ID'}\` takes out of the trash again.`)
  }

  protected override async printAnswer(answer: Row | undefined, parsed: Parsed): Promise<void> {
    this.#id = textOf(answer?.id)
    await super.printAnswer(answer, parsed)
  }
}
