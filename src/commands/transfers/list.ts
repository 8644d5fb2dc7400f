import {stat} from 'node:fs/promises'
import {BaseCommand} from '#lib/cli/run/base-command.js'
import {examplesOf} from '#lib/cli/run/operation-help.js'
import {journalOf, localPath, receivedBytes} from '#lib/cli/verbs/content/transfers.js'
import {percentOf} from '#lib/cli/terminal/units.js'
import type {JournalEntry} from '#lib/transfer/journal/entry.js'
import {isOwn, type Journal, type ListedTransfer} from '#lib/transfer/journal/journal.js'

const COLUMNS = ['key', 'kind', 'state', 'done', 'size', 'profile', 'updated', 'path', 'percent']

export default class TransfersList extends BaseCommand {
  static override effect = 'reads' as const
  static override summary = 'List interrupted and active transfers.'
  static override description =
    'To resume an interrupted transfer, run its command again or use `drv transfers resume`. Transfers are forgotten after a week. `done` is the number of bytes that have arrived, `percent` their share of `size`; for an interrupted upload the service is asked, and both are empty where it does not answer.'
  static override examples = examplesOf([['Show what can be resumed', 'transfers list']])

  protected override columnNames() {
    return COLUMNS
  }

  protected override async execute(): Promise<void> {
    await this.parse(TransfersList)
    const journal = await journalOf(this.context)
    const rows = await Promise.all(
      (await journal.list()).map(async transfer => {
        const {key, entry, updated, isActive} = transfer
        const done = await this.doneBytes(transfer, journal)
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
    await this.printer.records(rows, COLUMNS, 'transfer')
  }

  /** Bytes that have arrived; `undefined` where that is not known. */
  private async doneBytes(
    {entry, isActive}: ListedTransfer,
    journal: Journal,
  ): Promise<number | undefined> {
    if (entry.kind === 'download') return (await stat(entry.part).catch(() => undefined))?.size ?? 0
    const asks = !isActive && isOwn(entry, journal)
    const received = asks ? await receivedBytes(this.context, entry) : undefined
    return received ?? (entry.done || undefined)
  }
}

function sizeOf(entry: JournalEntry): number | undefined {
  return entry.kind === 'upload' ? entry.source.size : entry.size
}
