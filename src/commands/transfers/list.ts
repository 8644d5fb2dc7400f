import {stat} from 'node:fs/promises'
import type {Context} from '#lib/cli/context/context.js'
import {verb} from '#lib/cli/run/verb.js'
import {percentOf} from '#lib/cli/terminal/units.js'
import {journalOf, localPath, sessionProgress} from '#lib/cli/verbs/content/transfers.js'
import type {JournalEntry} from '#lib/transfer/journal/entry.js'
import {isOwn, type Journal, type ListedTransfer} from '#lib/transfer/journal/journal.js'

const COLUMNS = ['key', 'kind', 'state', 'done', 'size', 'profile', 'updated', 'path', 'percent']

export default verb({
  summary: 'List interrupted and active transfers.',
  description:
    'To resume an interrupted transfer, run its command again or use `drv transfers resume`. Entries expire after a week. `done` is the number of bytes transferred and `percent` their share of `size`. For an interrupted upload, drv asks the service for `done`; if it does not respond, drv shows the number recorded last.',
  examples: [['List transfers that can be resumed', 'transfers list']],
  effect: 'reads',
  columns: COLUMNS,
  async run(_input, context, printer) {
    const journal = await journalOf(context)
    const rows = await Promise.all(
      (await journal.list()).map(async transfer => {
        const {key, entry, updated, isActive} = transfer
        const done = await doneBytes(context, transfer, journal)
        const size = sizeOf(entry)
        return {
          key,
          kind: entry.kind,
          state: isActive ? 'active' : 'interrupted',
          done,
          size,
          profile: entry.profile,
          updated: new Date(updated).toISOString(),
          path: localPath(entry),
          percent: done === undefined || !size ? undefined : percentOf(done, size),
        }
      }),
    )
    await printer.records(rows, COLUMNS, 'transfer')
  },
})

/** Number of bytes transferred; `undefined` if unknown. */
async function doneBytes(
  context: Context,
  {entry, isActive}: ListedTransfer,
  journal: Journal,
): Promise<number | undefined> {
  if (entry.kind === 'download') return (await stat(entry.part).catch(() => undefined))?.size ?? 0
  const asks = !isActive && isOwn(entry, journal)
  const received = asks ? await sessionProgress(context, entry) : undefined
  return received ?? (entry.done || undefined)
}

function sizeOf(entry: JournalEntry): number | undefined {
  return entry.kind === 'upload' ? entry.source.size : entry.size
}
