import type {Client} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import type {RemoteEntry, RemoteOther} from '#lib/transfer/tree/entries.js'
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

/** The folder that a shortcut leads to; anything else as it is, also what leads nowhere. */
export async function followToFolder<F extends Followed>(
  client: Pick<Client, 'call'>,
  found: F,
): Promise<F> {
  try {
    const led = await followShortcut(client, found, found.entry.title)
    return led.entry.kind === 'folder' ? led : found
  } catch (error) {
    // The shortcut itself is there.
    if (error instanceof ResolveError) return found
    throw error
  }
}

interface Following {
  /** Whether a folder is one that the entries are in. */
  readonly isAbove?: (id: string) => boolean
  /** Which shortcuts count; all of them unless given. */
  readonly isWanted?: (shortcut: RemoteOther) => boolean
}

/**
 * What is in a folder, with what shortcuts lead to in the place of those, under their titles. A shortcut
 * that leads nowhere stays, with the reason, and so does a folder that would lead into itself.
 */
export async function followEntries(
  client: Pick<Client, 'call'>,
  entries: readonly RemoteEntry[],
  {isAbove = () => false, isWanted = () => true}: Following = {},
): Promise<RemoteEntry[]> {
  return Promise.all(
    entries.map(async (entry): Promise<RemoteEntry> => {
      const isLink = entry.kind === 'other' && entry.target !== undefined && isWanted(entry)
      const followed = isLink ? await led(client, entry) : entry
      if (followed.kind !== 'folder' || !isAbove(followed.id)) return followed
      const {id, title} = followed.shortcut ?? followed
      const what = followed.shortcut?.what ?? 'a folder'
      const reason = `it leads to a folder that it is in (ID ${followed.id}), so it would never end`
      return {kind: 'other', id, title, what, reason}
    }),
  )
}

/** What a shortcut of a folder leads to, or the shortcut with the reason why it leads nowhere. */
async function led(client: Pick<Client, 'call'>, shortcut: RemoteOther): Promise<RemoteEntry> {
  try {
    const {entry, driveId} = await followShortcut<Followed>(client, {entry: shortcut}, '')
    if (entry.kind === 'other') return entry
    const drive = entry.kind === 'folder' && driveId !== undefined ? {driveId} : {}
    return {...entry, ...drive, shortcut}
  } catch (error) {
    if (!(error instanceof ResolveError)) throw error
    const reason = `it is a shortcut to a file that is gone or not shared with you (ID ${shortcut.target})`
    return {...shortcut, reason}
  }
}
