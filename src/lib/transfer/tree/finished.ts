import type {Entry} from '../journal/entry.js'
import {isOwn, type Memory} from '../journal/journal.js'

/**
 * What is still remembered of transfers that are over: a process was killed between the last byte
 * and taking note of it, and now the file is found where it should be.
 */

/** Forgets transfers between a file of this machine (absolute paths) and one of the service (IDs). */
export async function forgetSettled(
  memory: Memory | undefined,
  settled: ReadonlyMap<string, string>,
): Promise<void> {
  if (!memory || settled.size === 0) return
  for (const {key, entry} of await memory.list()) {
    if (isOwn(entry, memory) && isSettled(entry, settled)) await memory.discard(key)
  }
}

function isSettled(entry: Entry, settled: ReadonlyMap<string, string>): boolean {
  const fileId = settled.get(entry.kind === 'upload' ? entry.source.path : entry.path)
  if (fileId === undefined || entry.operation === 'files.export') return false
  return entry.operation === 'files.insert' ? entry.id === fileId : entry.params.fileId === fileId
}
