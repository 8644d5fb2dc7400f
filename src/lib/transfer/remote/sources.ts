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
  /** Takes a shortcut that is named for what it leads to. */
  readonly follows?: boolean
}

/**
 * Follows a place that should be a folder, as `resolveRemotePath` does. What is in one that is named by
 * its ID is asked for at the same time; but in a shared drive, whose lists have to name the drive, it
 * has to be listed afterwards, as where there is no `folder`.
 */
export async function openRemotePath(
  client: Client,
  place: RemotePath,
  {choose, mustExist = false, follows = false, ...options}: OpenOptions,
): Promise<OpenedPath> {
  const {start, names} = place
  const id = start.in === 'id' && names.length === 0 ? start.id : undefined
  const listing =
    id === undefined ? undefined : listFolder(client, {kind: 'folder', id, title: ''}, options)
  // What is wrong with the place itself says more.
  listing?.catch(() => undefined)
  const named = await (mustExist ? findRemotePath : resolveRemotePath)(client, place, choose)
  const isLink = follows && named.missing.length === 0
  const found = isLink ? await followShortcut(client, named, place.text) : named
  const {entry, driveId} = found
  if (!listing || entry.kind !== 'folder' || entry.id !== id || driveId !== undefined) return found
  return {...found, folder: {...(await listing), title: entry.title}}
}

export interface SourceOptions extends Pick<OpenOptions, 'choose' | 'follows'> {
  readonly signal: AbortSignal
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
  const opened: string[] = []
  for (const place of places) {
    const {isContents} = place
    const options = {signal, choose, follows, mustExist: true, wanted: () => false}
    const {entry, driveId, folder}: OpenedPath = isContents
      ? await openRemotePath(client, place, options)
      : await found(place)
    if (entry.kind === 'folder') {
      if (place.start.in === 'trash') {
        throw new ResolveError(
          'wrongKind',
          `The folder ${place.text} is in the trash, and so is all that is in it.`,
          'Take it out with `drv files untrash` first.',
        )
      }
      if (isContents) opened.push(entry.id)
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
  // What is in one folder can lead back to that.
  const [id = ''] = places.length === 1 ? opened : []
  return {kind: 'folder', id, title: '', entries, isPartial}

  async function found(place: RemotePath): Promise<Found> {
    const named = await findRemotePath(client, place, choose)
    return follows ? followShortcut(client, named, place.text) : named
  }
}
