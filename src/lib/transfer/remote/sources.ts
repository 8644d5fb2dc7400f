import type {Client} from '#lib/client/client.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {listEach, listFolder, type ListingOptions} from './listing.js'
import type {Found, RemotePath} from './remote-path.js'
import {findRemotePath, resolveRemotePath} from './resolve.js'
import {type Choose, noFolder, ResolveError} from './resolve-error.js'
import {followShortcut} from './shortcuts.js'

/** Where a place leads, with what is in it where that is known by then. */
export interface OpenedPath extends Found {
  readonly folder?: RemoteFolder
}

interface OpenOptions extends Omit<ListingOptions, 'driveId'> {
  readonly choose?: Choose
  readonly mustExist?: boolean
}

/**
 * Follows a place that should be a folder, as `resolveRemotePath` does. What is in one that is named by
 * its ID is asked for at the same time; but in a shared drive, whose lists have to name the drive, it
 * has to be listed afterwards, as where there is no `folder`.
 */
export async function openRemotePath(
  client: Client,
  place: RemotePath,
  {choose, mustExist = false, ...options}: OpenOptions,
): Promise<OpenedPath> {
  const {start, names} = place
  const id = start.in === 'id' && names.length === 0 ? start.id : undefined
  const listing =
    id === undefined ? undefined : listFolder(client, {kind: 'folder', id, title: ''}, options)
  // What is wrong with the place itself says more.
  listing?.catch(() => undefined)
  const found = await (mustExist ? findRemotePath : resolveRemotePath)(client, place, choose)
  const {entry, driveId} = found
  if (!listing || entry.kind !== 'folder' || entry.id !== id || driveId !== undefined) return found
  return {...found, folder: {...(await listing), title: entry.title}}
}

export interface SourceOptions {
  readonly signal: AbortSignal
  readonly choose?: Choose
  /** Takes a shortcut that is named for what it leads to. */
  readonly follows?: boolean
}

/**
 * What `drv pull` is to fetch, as one folder: each place under its own title, the folders among them
 * unread; what is in it, where the place says so. Throws `ResolveError` for a place that leads nowhere,
 * and for one that asks for the contents of something that is no folder.
 */
export async function remoteSources(
  client: Client,
  places: readonly RemotePath[],
  {signal, choose, follows = false}: SourceOptions,
): Promise<RemoteFolder> {
  const entries: RemoteEntry[] = []
  for (const place of places) {
    const {isContents} = place
    const opened: OpenedPath = isContents
      ? await openRemotePath(client, place, {signal, choose, mustExist: true, wanted: () => false})
      : await findRemotePath(client, place, choose)
    const found = follows ? await followShortcut(client, opened, place.text) : opened
    const {entry, driveId, folder} = found
    if (entry.kind === 'folder') {
      if (place.start.in === 'trash') {
        throw new ResolveError(
          'wrongKind',
          `The folder ${place.text} is in the trash, and so is all that is in it.`,
          'Take it out with `drv files untrash` first.',
        )
      }
      const top = {...entry, ...(driveId !== undefined && {driveId})}
      const inside =
        isContents && (folder?.entries ?? (await listEach(client, [top], signal)).get(top.id))
      entries.push(...(inside || [top]))
    } else {
      if (isContents) throw noFolder(entry, place.text)
      entries.push(entry)
    }
  }
  const isPartial = !places.every(({isContents}) => isContents)
  return {kind: 'folder', id: '', title: '', entries, isPartial}
}
