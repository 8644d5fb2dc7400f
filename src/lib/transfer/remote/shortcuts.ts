import type {Client} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import {ALL_DRIVES, ENTRY_FIELDS, entryOf} from './records.js'
import {ResolveError} from './resolve-error.js'

/** The result of following a shortcut. */
interface Followed {
  readonly entry: RemoteEntry
  readonly driveId?: string
}

/**
 * The target of a shortcut under the shortcut's title; anything else unchanged. `word` is its name in
 * errors. Throws `ResolveError` if the target does not exist or is not accessible.
 */
export async function followShortcut<F extends Followed>(
  client: Pick<Client, 'call'>,
  found: F,
  word: string,
): Promise<F> {
  const {entry} = found
  if (entry.kind !== 'other' || entry.target === undefined) return found
  const params = {fileId: entry.target, fields: ENTRY_FIELDS, ...ALL_DRIVES}
  try {
    const record = (await client.call('files.get', {params})) ?? {}
    const {driveId} = record
    const drive = typeof driveId === 'string' ? driveId : undefined
    return {...found, entry: {...entryOf(record), title: entry.title}, driveId: drive}
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new ResolveError(
      'missing',
      `${word} is a shortcut to a file that does not exist or is not shared with you (ID ${entry.target}).`,
      'Use `drv rm` to remove the shortcut.',
    )
  }
}
