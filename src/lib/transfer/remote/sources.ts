import type {Client} from '#lib/client/client.js'
import type {Rules} from '#lib/transfer/local/rules.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {isTaken} from '#lib/transfer/tree/leftout.js'
import {listFolder} from './listing.js'
import type {RemotePath} from './remote-path.js'
import {checkWhole, type OpenedPath, openRemotePath, resolveRemotePath} from './resolve.js'
import {type Choose, noFolder, ResolveError} from './resolve-error.js'

export interface SourceOptions {
  readonly signal: AbortSignal
  readonly choose?: Choose
  readonly rules?: Rules
}

/**
 * What `drv pull` is to fetch, as one folder: each place under its own title; what is in it, where
 * the place says so. Throws `ResolveError` for a place that leads nowhere, and for one that asks for
 * the contents of something that is no folder. What `rules` leave out is not looked into.
 */
export async function remoteSources(
  client: Client,
  places: readonly RemotePath[],
  {signal, choose, rules}: SourceOptions,
): Promise<RemoteFolder> {
  const wantedBelow = (...at: string[]) =>
    rules && ((titles: readonly string[]) => isTaken(rules, [...at, ...titles]))
  const entries: RemoteEntry[] = []
  for (const place of places) {
    const found: OpenedPath = place.isContents
      ? await openRemotePath(client, place, {signal, choose, wanted: wantedBelow()})
      : await resolveRemotePath(client, place, choose)
    await checkWhole(client, place, found)
    const {entry, driveId, folder} = found
    if (entry.kind === 'folder') {
      if (place.start.in === 'trash') {
        throw new ResolveError(
          'wrongKind',
          `The folder ${place.text} is in the trash, and so is all that is in it.`,
          'Take it out with `drv files untrash` first.',
        )
      }
      const {isContents} = place
      const wanted = wantedBelow(...(isContents ? [] : [entry.title]))
      const isLeft = !isContents && (await wanted?.([])) === false
      const listed =
        folder ?? (isLeft ? entry : await listFolder(client, entry, {driveId, signal, wanted}))
      entries.push(...(isContents ? (listed.entries ?? []) : [listed]))
    } else {
      if (place.isContents) throw noFolder(entry, place.text)
      entries.push(entry)
    }
  }
  const isPartial = !places.every(({isContents}) => isContents)
  return {kind: 'folder', id: '', title: '', entries, isPartial}
}
