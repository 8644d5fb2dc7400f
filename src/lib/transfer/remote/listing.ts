import {DEPTH_LIMIT} from '#lib/api/wire.js'
import type {Client} from '#lib/client/client.js'
import {ProtocolError} from '#lib/client/errors.js'
import {groupBy, inGroups} from '#lib/platform/values.js'
import {titleKey} from '#lib/transfer/local/names.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {entriesInFolders, type EntryInFolders, type Search, searchParameters} from './records.js'

/** Maximum number of folders in a query; some services limit URLs to 8,000 characters. */
const FOLDERS = 50
/** Maximum number of concurrent lists. */
const WIDTH = 8

export interface ListingOptions {
  /** Whether to list a subfolder, by the keys of the titles that lead to it (see `titleKey`). */
  readonly wanted?: Wanted
  readonly driveId?: string
  /** Aborted when the rest is no longer needed. */
  readonly signal?: AbortSignal
}

/** Also the fields of each entry; `isTrashToo` includes trashed entries. */
export type BelowOptions = ListingOptions & Pick<Search, 'fields' | 'isTrashToo'>

export interface ReadOptions extends BelowOptions {
  /** Called with each listed folder and the entries in it. */
  readonly onFolder?: (id: string, entries: readonly EntryInFolders[]) => unknown
  /** Called with the entries of each page; returns `true` to stop. */
  readonly onEntries?: (placed: readonly EntryInFolders[]) => Promise<boolean>
}

/** Whether to list a folder, by the titles that lead to it. */
type Wanted = (names: readonly string[]) => boolean | Promise<boolean>

interface Waiting {
  readonly id: string
  /** Keys of the titles that lead to it. */
  readonly names: readonly string[]
}

/**
 * A remote folder with everything below it (see `entriesBelow`). Fails if any folder cannot be listed,
 * because an incomplete tree would lead to wrong conclusions.
 */
export async function listFolder(
  client: Client,
  top: RemoteFolder,
  options: ListingOptions = {},
): Promise<RemoteFolder> {
  const below = await entriesBelow(client, [top.id], options)
  const found = new Map(
    [...below].map(([id, placed]) => [id, placed.map(({entry}) => entry).sort(byTitle)]),
  )
  return assemble(top, found, new Set())
}

/** The entries of some folders in any drives, by folder ID; subfolders are not listed. */
export async function listEach(
  client: Client,
  folders: readonly RemoteFolder[],
  signal?: AbortSignal,
): Promise<Map<string, RemoteEntry[]>> {
  const all = new Map<string, RemoteEntry[]>()
  for (const [driveId, some] of groupBy(folders, folder => folder.driveId ?? '')) {
    const ids = some.map(({id}) => id)
    const drive = driveId === '' ? {} : {driveId}
    const below = await entriesBelow(client, ids, {wanted: () => false, signal, ...drive})
    const inDrive = ({entry}: EntryInFolders) =>
      entry.kind === 'folder' ? {...entry, ...drive} : entry
    for (const [id, placed] of below) all.set(id, placed.map(inDrive).sort(byTitle))
  }
  return all
}

/** The entries of some folders of one drive and of everything below them, by folder ID, as `readBelow` reads them. */
export async function entriesBelow(
  client: Client,
  topIds: readonly string[],
  options: BelowOptions = {},
): Promise<Map<string, readonly EntryInFolders[]>> {
  const found = new Map<string, readonly EntryInFolders[]>()
  await readBelow(client, topIds, {...options, onFolder: (id, entries) => found.set(id, entries)})
  return found
}

/**
 * Reads the entries of some folders of one drive and of everything below them. Lists level by level, many folders per
 * request. A folder that is reached twice is listed once. `wanted` receives the titles that lead from a top folder to a
 * subfolder. Throws `ProtocolError` for an impossibly deep tree.
 */
export async function readBelow(
  client: Client,
  topIds: readonly string[],
  {wanted = () => true, signal, onFolder, onEntries, ...search}: ReadOptions,
): Promise<void> {
  /** The subfolders of listed folders that were not visited yet. */
  const subfolders = new Map<string, readonly RemoteEntry[]>()
  let waiting: Waiting[] = [...new Set(topIds)].map(id => ({id, names: []}))
  // Lists each folder only once, so cycles end.
  const seen = new Set(topIds)
  let isEnough = false

  /** Lists some folders; one by one if the service does not return parents. */
  async function list(folders: readonly Waiting[]): Promise<void> {
    const inEach = await entriesIn(folders.map(({id}) => id))
    if (inEach) {
      for (const [id, entries] of inEach) {
        onFolder?.(id, entries)
        const inside = entries.map(({entry}) => entry).filter(({kind}) => kind === 'folder')
        if (inside.length > 0) subfolders.set(id, inside)
      }
    } else await Promise.all(folders.map(folder => list([folder])))
  }

  /** The entries of each folder; `undefined` if the parent of some entry is unknown. */
  async function entriesIn(
    ids: readonly string[],
  ): Promise<Map<string, EntryInFolders[]> | undefined> {
    const inEach = new Map(ids.map(id => [id, [] as EntryInFolders[]]))
    const params = searchParameters({folderIds: ids, ...search})
    for await (const page of client.pages('files.list', {params})) {
      signal?.throwIfAborted()
      const all = entriesInFolders(page)
      for (const placed of all) {
        const homes = ids.length === 1 ? ids : ids.filter(id => placed.parents.includes(id))
        if (homes.length === 0) return undefined
        for (const id of homes) inEach.get(id)!.push(placed)
      }
      isEnough ||= (await onEntries?.(all)) ?? false
      if (isEnough) break
    }
    return inEach
  }

  async function foldersBelow({id, names}: Waiting): Promise<Waiting[]> {
    const below: Waiting[] = []
    for (const folder of subfolders.get(id) ?? []) {
      if (seen.has(folder.id)) continue
      const inner = [...names, titleKey(folder.title)]
      if (!(await wanted(inner)) || seen.has(folder.id)) continue
      seen.add(folder.id)
      below.push({id: folder.id, names: inner})
    }
    subfolders.delete(id)
    return below
  }

  for (let level = 0; waiting.length > 0 && !isEnough; level++) {
    if (level > DEPTH_LIMIT) throw tooDeep()
    const groups = inGroups(waiting, FOLDERS)
    for (const some of inGroups(groups, WIDTH)) {
      if (!isEnough) await Promise.all(some.map(list))
    }
    waiting = (await Promise.all(waiting.map(foldersBelow))).flat()
  }
}

/** The error for an impossibly deep tree. */
export function tooDeep(): ProtocolError {
  return new ProtocolError(
    `The service lists more than ${DEPTH_LIMIT} levels of folders, so the tree may be endless. Choose a folder further down.`,
  )
}

/** Builds the tree from the entries; a folder inside itself stays empty. */
function assemble(
  folder: RemoteFolder,
  found: ReadonlyMap<string, readonly RemoteEntry[]>,
  above: ReadonlySet<string>,
): RemoteFolder {
  const entries = found.get(folder.id)
  if (!entries || above.has(folder.id)) return folder
  const path = new Set([...above, folder.id])
  return {
    ...folder,
    entries: entries.map(entry => (entry.kind === 'folder' ? assemble(entry, found, path) : entry)),
  }
}

/** Sorts by title, then by ID, because the order of the service may change. */
export function byTitle(one: RemoteEntry, other: RemoteEntry): number {
  if (one.title !== other.title) return one.title < other.title ? -1 : 1
  return one.id < other.id ? -1 : 1
}
