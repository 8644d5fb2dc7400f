import type {JournalEntry} from '#lib/transfer/journal/entry.js'
import {isOwn, type Journal} from '#lib/transfer/journal/journal.js'

/**
 * What is still remembered of transfers that are over: a process was killed between the last byte
 * and taking note of it, and now the file is found where it should be.
 */

/** Forgets transfers between a file of this machine (absolute paths) and one of the service (IDs). */
export async function forgetFinished(
  journal: Journal | undefined,
  finished: ReadonlyMap<string, string>,
): Promise<void> {
  if (!journal || finished.size === 0) return
  for (const {key, entry} of await journal.list()) {
    if (isOwn(entry, journal) && isFinished(entry, finished)) await journal.discard(key)
  }
}

function isFinished(entry: JournalEntry, finished: ReadonlyMap<string, string>): boolean {
  const fileId = finished.get(entry.kind === 'upload' ? entry.source.path : entry.path)
  if (fileId === undefined || entry.operation === 'files.export') return false
  const isNew = entry.kind === 'upload' && entry.operation === 'files.insert'
  return (isNew ? entry.id : entry.params.fileId) === fileId
}
