import type {Client} from '#lib/client/client.js'
import type {RemoteFolder} from '#lib/transfer/tree/entries.js'
import {listFolder, type ListingOptions} from './listing.js'
import type {RemotePath} from './remotepath.js'
import {type Found, resolveRemotePath} from './resolve.js'
import type {Choose} from './resolveerror.js'

/** Where a place leads, with what is in it where that is known by then. */
export interface OpenedPath extends Found {
  readonly folder?: RemoteFolder
}

/**
 * Follows a place that should be a folder, as `resolveRemotePath` does. What is in one that is named by
 * its ID is asked for at the same time; but in a shared drive, whose lists have to name the drive, it
 * has to be listWithIds afterwards, as where there is no `folder`.
 */
export async function openRemotePath(
  client: Client,
  place: RemotePath,
  {choose, ...options}: Omit<ListingOptions, 'driveId'> & {readonly choose?: Choose},
): Promise<OpenedPath> {
  const {start, names} = place
  const id = start.in === 'id' && names.length === 0 ? start.id : undefined
  const listing =
    id === undefined ? undefined : listFolder(client, {kind: 'folder', id, title: ''}, options)
  // What is wrong with the place itself says more.
  listing?.catch(() => undefined)
  const found = await resolveRemotePath(client, place, choose)
  const {entry, driveId} = found
  if (!listing || entry.kind !== 'folder' || entry.id !== id || driveId !== undefined) return found
  return {...found, folder: {...(await listing), title: entry.title}}
}
