import type {Client} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import {ALL_DRIVES, ENTRY_FIELDS, entryOf} from './records.js'
import {ResolveError} from './resolve-error.js'

/** What a shortcut leads to. */
interface Followed {
  readonly entry: RemoteEntry
  readonly driveId?: string
}

/**
 * What a shortcut leads to, under the title of the shortcut; anything else as it is. `word` named it.
 * Throws `ResolveError` where the target is gone or may not be seen.
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
      `${word} is a shortcut to a file that is gone or not shared with you (ID ${entry.target}).`,
      '`drv rm` removes the shortcut.',
    )
  }
}
