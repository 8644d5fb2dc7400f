import {Flags} from '@oclif/core'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {
  checkChoice,
  chosen,
  discardTransfer,
  keyArg,
  journalOf,
  localPath,
} from '#lib/cli/verbs/content/transfers.js'

const COLUMNS = ['key', 'result', 'path']

export default class TransfersDiscard extends BaseCommand {
  static override strict = false
  static override effect = 'destroys' as const
  static override summary = 'Forget interrupted transfers and remove what they left.'
  static override description =
    'Files that were being uploaded stay as they are. The part of a download that has come is removed.'
  static override examples = examplesOf([
    ['Give up one of those that `drv transfers list` shows', 'transfers discard "$KEY"'],
    ['Give up all', 'transfers discard --all'],
  ])
  static override args = keyArg
  static override flags = {
    all: Flags.boolean({summary: 'Every one there is and no process works on.', char: 'a'}),
  }

  protected override columnNames() {
    return COLUMNS
  }

  protected override async execute(): Promise<void> {
    const {argv, flags} = await this.parse(TransfersDiscard)
    const keys = argv.map(String)
    checkChoice(keys, flags.all)
    const journal = await journalOf(this.context)
    const all = await journal.list()
    const idle = all.filter(({isActive}) => !isActive)
    const transfers = keys.length > 0 ? chosen(all, keys) : idle
    const things = transfers.map(({key, entry}) => `${key} ${localPath(entry)}`)
    if (await this.printer.preview('discard', ...things)) return
    const rows = []
    for (const transfer of transfers) {
      await discardTransfer(this.context, transfer)
      rows.push({key: transfer.key, result: 'discarded', path: localPath(transfer.entry)})
    }
    await this.printer.records(rows, COLUMNS)
  }
}
