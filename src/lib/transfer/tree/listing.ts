import type {Client} from '../../client/client.js'
import type {RemoteEntry, RemoteFolder} from './entries.js'
import {titleKey} from './names.js'
import {childrenParameters, entriesOf} from './records.js'
import type {Wanted} from './scan.js'

/** How many folders are listed at once. */
const WIDTH = 8

export interface ListingOptions {
  /** Into which folders below to look, by the titles on the way (see `titleKey`). */
  readonly wanted?: Wanted
  readonly driveId?: string
  /** Aborted when the rest is of no use any more. */
  readonly signal?: AbortSignal
}

/**
 * A folder of the service with what is in it and below, several folders at once. Fails as a whole
 * when any of them cannot be listed: half a tree would lead to wrong conclusions.
 */
export async function listFolder(
  client: Client,
  top: RemoteFolder,
  {wanted = () => true, driveId, signal}: ListingOptions = {},
): Promise<RemoteFolder> {
  const found = new Map<string, readonly RemoteEntry[]>()
  const waiting = [{id: top.id, names: [] as readonly string[]}]
  // A folder that is reached twice must not lead into a circle.
  const seen = new Set([top.id])

  async function listOne({id, names}: {id: string; names: readonly string[]}): Promise<void> {
    const entries: RemoteEntry[] = []
    for await (const page of client.pages('files.list', {
      params: childrenParameters(id, {driveId}),
    })) {
      signal?.throwIfAborted()
      entries.push(...entriesOf(page))
    }
    found.set(id, entries.sort(byTitle))
    for (const entry of entries) {
      const below = [...names, titleKey(entry.title)]
      if (entry.kind !== 'folder' || seen.has(entry.id) || !wanted(below)) continue
      seen.add(entry.id)
      waiting.push({id: entry.id, names: below})
    }
  }

  while (waiting.length > 0) await Promise.all(waiting.splice(0, WIDTH).map(listOne))
  return assemble(top, found, new Set())
}

/** Puts each folder's entries where they belong; one that is below itself stays closed. */
function assemble(
  folder: RemoteFolder,
  found: ReadonlyMap<string, readonly RemoteEntry[]>,
  above: ReadonlySet<string>,
): RemoteFolder {
  const entries = found.get(folder.id)
  if (!entries || above.has(folder.id)) return folder
  const way = new Set([...above, folder.id])
  return {
    ...folder,
    entries: entries.map(entry => (entry.kind === 'folder' ? assemble(entry, found, way) : entry)),
  }
}

/** Titles first, then IDs: the service's own order may change from one day to the next. */
function byTitle(one: RemoteEntry, other: RemoteEntry): number {
  if (one.title !== other.title) return one.title < other.title ? -1 : 1
  return one.id < other.id ? -1 : 1
}
