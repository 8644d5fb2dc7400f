import {stat} from 'node:fs/promises'
import {BaseCommand} from '../../lib/cli/command/base.js'
import {examplesOf} from '../../lib/cli/command/operationhelp.js'
import {journalOf, localPath} from '../../lib/cli/transfer/transfers.js'
import type {JournalEntry} from '../../lib/transfer/journal/entry.js'

const COLUMNS = ['key', 'kind', 'state', 'done', 'size', 'profile', 'updated', 'path']

export default class TransfersList extends BaseCommand {
  static override summary = 'List the transfers that were interrupted or are under way.'
  static override description =
    'An interrupted transfer goes on when its command line is run again, or with `drv transfers resume`. What is a week old is forgotten. Of an upload, `done` is what the service said it has, and empty before it said anything.'
  static override examples = examplesOf([['Show what could go on', 'transfers list']])

  protected override readonly isHarmless = true

  protected override columnNames() {
    return COLUMNS
  }

  protected override async execute(): Promise<void> {
    await this.parse(TransfersList)
    const journal = await journalOf(this.context)
    const rows = await Promise.all(
      (await journal.list()).map(async ({key, entry, updated, isActive}) => ({
        key,
        kind: entry.kind,
        state: isActive ? 'active' : 'interrupted',
        done: await doneOf(entry),
        size: entry.kind === 'upload' ? entry.source.size : entry.size,
        profile: entry.profile,
        updated: new Date(updated).toISOString(),
        path: localPath(entry),
      })),
    )
    await this.printRecords(rows, COLUMNS, 'transfer')
  }
}

/** Bytes; of an upload only what the service said it has, and `undefined` where it said nothing yet. */
async function doneOf(entry: JournalEntry): Promise<number | undefined> {
  if (entry.kind === 'upload') return entry.done || undefined
  return (await stat(entry.part).catch(() => undefined))?.size ?? 0
}
