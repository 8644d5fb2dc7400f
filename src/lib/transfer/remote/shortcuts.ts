import type {Client} from '#lib/client/client.js'
import {isNotFound} from '#lib/client/errors.js'
import type {RemoteEntry, RemoteOther} from '#lib/transfer/tree/entries.js'
import {ALL_DRIVES, ENTRY_FIELDS, entryOf} from './records.js'
import {ResolveError} from './resolve-error.js'

/** The result of following a shortcut. */
interface Followed {
  readonly entry: RemoteEntry
  readonly driveId?: string
  /** The IDs of what led to it. */
  readonly above?: readonly string[]
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
    const led = {...found, entry: {...entryOf(record), title: entry.title}, driveId: drive}
    return found.above ? {...led, above: [...found.above, entry.id]} : led
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new ResolveError(
      'missing',
      `${word} is a shortcut to a file that does not exist or is not shared with you (ID ${entry.target}).`,
      'Use `drv rm` to remove the shortcut.',
    )
  }
}

/** The folder that a shortcut points to; anything else unchanged, including broken shortcuts. */
export async function followToFolder<F extends Followed>(
  client: Pick<Client, 'call'>,
  found: F,
): Promise<F> {
  try {
    const led = await followShortcut(client, found, found.entry.title)
    return led.entry.kind === 'folder' ? led : found
  } catch (error) {
    // The shortcut itself exists.
    if (error instanceof ResolveError) return found
    throw error
  }
}

interface Following {
  /** Whether a folder contains the entries, directly or not. */
  readonly isAbove?: (id: string) => boolean
  /** Which shortcuts to follow (default: all). */
  readonly isWanted?: (shortcut: RemoteOther) => boolean
}

/**
 * The entries of a folder with shortcuts replaced by their targets, under the shortcuts' titles. A broken
 * shortcut stays, with the reason, and so does one to a folder that contains it.
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
      const reason = `it points to a folder that contains it (ID ${followed.id})`
      return {kind: 'other', id, title, what, reason}
    }),
  )
}

/** The target of a shortcut, or the shortcut with the reason why it is broken. */
async function led(client: Pick<Client, 'call'>, shortcut: RemoteOther): Promise<RemoteEntry> {
  try {
    const {entry, driveId} = await followShortcut<Followed>(client, {entry: shortcut}, '')
    if (entry.kind === 'other') return entry
    const drive = entry.kind === 'folder' && driveId !== undefined ? {driveId} : {}
    return {...entry, ...drive, shortcut}
  } catch (error) {
    if (!(error instanceof ResolveError)) throw error
    const reason = `it is a shortcut to a file that does not exist or is not shared with you (ID ${shortcut.target})`
    return {...shortcut, reason}
  }
}
