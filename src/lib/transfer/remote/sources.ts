import type {Client} from '#lib/client/client.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {listEach, listFolder, type ListingOptions} from './listing.js'
import type {RemotePath, ResolvedPath} from './remote-path.js'
import {findRemotePath, resolveRemotePath} from './resolve.js'
import {type Choose, noFolder, ResolveError} from './resolve-error.js'
import {followShortcut} from './shortcuts.js'

/** A resolved path, with the contents of the folder if already listed. */
export interface OpenedPath extends ResolvedPath {
  readonly folder?: RemoteFolder
}

interface OpenOptions extends Omit<ListingOptions, 'driveId'> {
  readonly choose?: Choose
  readonly mustExist?: boolean
  /** Whether to replace named shortcuts with their targets. */
  readonly follows?: boolean
}

/**
 * Resolves a path that should be a folder. A folder named by its ID is listed at the same time, except
 * in a shared drive, whose lists need the drive's ID; without `folder` the caller must list it.
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
  // Errors of resolving the path are more informative.
  listing?.catch(() => undefined)
  const named = await (mustExist ? findRemotePath : resolveRemotePath)(client, place, choose)
  const isLink = follows && named.missing.length === 0
  const found = isLink ? await followShortcut(client, named, place.text) : named
  const {entry, driveId} = found
  if (!listing || entry.kind !== 'folder' || entry.id !== id || driveId !== undefined) return found
  return {...found, folder: {...(await listing), title: entry.title}}
}

/** The sources of `drv pull`. */
export interface Sources extends RemoteFolder {
  /** The folder that is the only source, or whose contents are. */
  readonly root?: Pick<ResolvedPath, 'driveId' | 'above'> & {readonly folder: RemoteFolder}
}

export interface SourceOptions extends Pick<OpenOptions, 'choose' | 'follows'> {
  readonly signal: AbortSignal
}

/**
 * The sources of `drv pull` as one folder: each path under its own title, with folders unread, or the
 * contents of the path. Throws `ResolveError` for a missing path, and for the contents of something that
 * is not a folder.
 */
export async function remoteSources(
  client: Client,
  places: readonly RemotePath[],
  {signal, choose, follows = false}: SourceOptions,
): Promise<Sources> {
  const entries: RemoteEntry[] = []
  const opened: string[] = []
  const roots: Array<NonNullable<Sources['root']>> = []
  for (const place of places) {
    const {isContents} = place
    const options = {signal, choose, follows, mustExist: true, wanted: () => false}
    const {entry, driveId, above, folder}: OpenedPath = isContents
      ? await openRemotePath(client, place, options)
      : await found(place)
    if (entry.kind === 'folder') {
      if (place.start.in === 'trash') {
        throw new ResolveError(
          'wrongKind',
          `The folder ${place.text} is in the trash, with everything in it.`,
          'Restore it first with `drv restore`.',
        )
      }
      if (isContents) opened.push(entry.id)
      const top = {...entry, ...(driveId !== undefined && {driveId})}
      roots.push({folder: top, driveId, above})
      const inside =
        isContents && (folder?.entries ?? (await listEach(client, [top], signal)).get(top.id))
      entries.push(...(inside || [top]))
    } else {
      if (isContents) throw noFolder(entry, place.text)
      entries.push(entry)
    }
  }
  const isPartial = !places.every(({isContents}) => isContents)
  // Shortcuts in a single source folder may point back to it.
  const [id = ''] = places.length === 1 ? opened : []
  const [root] = places.length === 1 ? roots : []
  return {kind: 'folder', id, title: '', entries, isPartial, ...(root && {root})}

  async function found(place: RemotePath): Promise<ResolvedPath> {
    const named = await findRemotePath(client, place, choose)
    return follows ? followShortcut(client, named, place.text) : named
  }
}
