import {Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {
  checkChoice,
  discardTransfer,
  journalOf,
  keyArg,
  localPath,
  selectTransfers,
} from '#lib/cli/verbs/content/transfers.js'

const COLUMNS = ['key', 'result', 'path']

export default verb({
  summary: 'Discard interrupted transfers and their partial files.',
  description: 'Removes partial downloads. Local files of uploads are not touched.',
  examples: [
    ['Discard one transfer from `drv transfers list`', 'transfers discard "$KEY"'],
    ['Discard all interrupted transfers', 'transfers discard --all'],
  ],
  args: keyArg,
  flags: {
    all: ranked(
      0,
      Flags.boolean({summary: 'Discard all transfers that no process is working on.', char: 'a'}),
    ),
  },
  effect: 'destroys',
  columns: COLUMNS,
  async run({args, flags}, context, printer) {
    const keys = [args.key ?? []].flat().map(String)
    checkChoice(keys, flags.all)
    const journal = await journalOf(context)
    const all = await journal.list()
    const idle = all.filter(({isActive}) => !isActive)
    const transfers = keys.length > 0 ? selectTransfers(all, keys) : idle
    const things = transfers.map(({key, entry}) => `${key} ${localPath(entry)}`)
    if (await printer.preview('discard', ...things)) return
    const rows = []
    for (const transfer of transfers) {
      await discardTransfer(context, transfer)
      rows.push({key: transfer.key, result: 'discarded', path: localPath(transfer.entry)})
    }
    await printer.records(rows, COLUMNS)
  },
})
