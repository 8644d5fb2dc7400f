import {Flags} from '@oclif/core'
import {verb} from '#lib/cli/run/verb.js'
import {ranked} from '#lib/cli/terminal/read-argv.js'
import {
  checkChoice,
  chosen,
  discardTransfer,
  journalOf,
  keyArg,
  localPath,
} from '#lib/cli/verbs/content/transfers.js'

const COLUMNS = ['key', 'result', 'path']

export default verb({
  summary: 'Forget interrupted transfers and remove what they left.',
  description:
    'Files that were being uploaded stay as they are. The part of a download that has come is removed.',
  examples: [
    ['Give up one of those that `drv transfers list` shows', 'transfers discard "$KEY"'],
    ['Give up all', 'transfers discard --all'],
  ],
  args: keyArg,
  flags: {
    all: ranked(
      0,
      Flags.boolean({summary: 'Every one there is and no process works on.', char: 'a'}),
    ),
  },
  strict: false,
  effect: 'destroys',
  columns: COLUMNS,
  async run({words, flags}, context, printer) {
    const keys = [...words]
    checkChoice(keys, flags.all)
    const journal = await journalOf(context)
    const all = await journal.list()
    const idle = all.filter(({isActive}) => !isActive)
    const transfers = keys.length > 0 ? chosen(all, keys) : idle
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
