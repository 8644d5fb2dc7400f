import type {Client} from '../../client/client.js'
import type {RemoteEntry, RemoteFolder} from '../tree/entries.js'
import {listFolder} from './listing.js'
import {openRemotePath, type OpenedPath} from './openremotepath.js'
import type {RemotePath} from './remotepath.js'
import {noFolder, ResolveError, resolveRemotePath} from './resolve.js'

/**
 * What `drv pull` is to fetch, as one folder: each place under its own title; what is in it, where
 * the place says so. Throws `ResolveError` for a place that leads nowhere, and for one that asks for
 * the contents of something that is no folder.
 */
export async function remoteSources(
  client: Client,
  places: readonly RemotePath[],
  signal: AbortSignal,
): Promise<RemoteFolder> {
  const entries: RemoteEntry[] = []
  for (const place of places) {
    const find = place.isContents ? openRemotePath : resolveRemotePath
    const {entry, missing, driveId, folder}: OpenedPath = await find(client, place, {signal})
    if (missing.length > 0) {
      throw new ResolveError(
        'missing',
        `There is no ${JSON.stringify(missing[0])} in ${entry.title}, on the way to ${place.text}.`,
        'Check the path; capitals count. What has no path of its own can be named by its ID.',
      )
    }
    if (entry.kind === 'folder') {
      const listed = folder ?? (await listFolder(client, entry, {driveId, signal}))
      entries.push(...(place.isContents ? (listed.entries ?? []) : [listed]))
    } else {
      if (place.isContents) throw noFolder(entry, place.text)
      entries.push(entry)
    }
  }
  const isPartial = !places.every(({isContents}) => isContents)
  return {kind: 'folder', id: '', title: '', entries, isPartial}
}
