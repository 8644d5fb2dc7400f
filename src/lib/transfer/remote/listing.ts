import {DEPTH_LIMIT} from '#lib/api/wire.js'
import type {Client} from '#lib/client/client.js'
import {ProtocolError} from '#lib/client/errors.js'
import {groupBy, inGroups} from '#lib/platform/values.js'
import {titleKey} from '#lib/transfer/local/names.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {entriesInFolders, type EntryInFolders, type Search, searchParameters} from './records.js'

/** How many folders one query names: some services cut addresses off at 8,000 characters. */
const FOLDERS = 50
/** How many lists are asked for at once. */
const WIDTH = 8

export interface ListingOptions {
  /** Into which folders below to look, by the titles on the path (see `titleKey`). */
  readonly wanted?: Wanted
  readonly driveId?: string
  /** Aborted when the rest is of no use any more. */
  readonly signal?: AbortSignal
}

/** The same, and what is asked of each thing; `isTrashToo` finds what is in a folder of the trash. */
export interface BelowOptions extends ListingOptions, Pick<Search, 'fields' | 'isTrashToo'> {
  /** Hears of each page of what was found; `true` reads nothing more. */
  readonly onEntries?: (placed: readonly EntryInFolders[]) => Promise<boolean>
}

/** Whether to look into a folder, by the titles on the way to it. */
type Wanted = (names: readonly string[]) => boolean | Promise<boolean>

interface Waiting {
  readonly id: string
  /** Keys of the titles on the path to it. */
  readonly names: readonly string[]
}

/**
 * A folder of the service with what is in it and below (see `entriesBelow`). Fails as a whole when any
 * folder cannot be listed: half a tree would lead to wrong conclusions.
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

/** What is in each of some folders, of any drive, by the folder's ID; the folders in them are not listed. */
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

/**
 * What is in some folders of one drive and in those below them, by the ID of the folder: level by level,
 * many folders with one request. A folder that is reached twice is looked into once, by its first way;
 * `wanted` hears the titles on the way from the top that it is below. Throws `ProtocolError` for a tree
 * that is deeper than any tree can be.
 */
export async function entriesBelow(
  client: Client,
  topIds: readonly string[],
  {wanted = () => true, signal, onEntries, ...search}: BelowOptions = {},
): Promise<Map<string, readonly EntryInFolders[]>> {
  const found = new Map<string, readonly EntryInFolders[]>()
  let waiting: Waiting[] = [...new Set(topIds)].map(id => ({id, names: []}))
  // A folder that is reached twice must not lead into a circle.
  const seen = new Set(topIds)
  let isEnough = false

  /** Fills in what is in some folders; one by one where the service does not tell what is in which. */
  async function list(folders: readonly Waiting[]): Promise<void> {
    const inEach = await entriesIn(folders.map(({id}) => id))
    if (inEach) for (const [id, entries] of inEach) found.set(id, entries)
    else await Promise.all(folders.map(folder => list([folder])))
  }

  /** The entries of each folder; `undefined` where it cannot be told which one some of them are in. */
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
    for (const {entry} of found.get(id) ?? []) {
      if (entry.kind !== 'folder' || seen.has(entry.id)) continue
      const inner = [...names, titleKey(entry.title)]
      if (!(await wanted(inner)) || seen.has(entry.id)) continue
      seen.add(entry.id)
      below.push({id: entry.id, names: inner})
    }
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
  return found
}

/** The error of a tree that is deeper than any tree can be. */
export function tooDeep(): ProtocolError {
  return new ProtocolError(
    `The service lists more than ${DEPTH_LIMIT} levels of folders, so the tree may never end. Name a folder further down.`,
  )
}

/** Puts each folder's entries where they belong; one that is below itself stays closed. */
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

/** Titles first, then IDs: the service's own order may change from one day to the next. */
function byTitle(one: RemoteEntry, other: RemoteEntry): number {
  if (one.title !== other.title) return one.title < other.title ? -1 : 1
  return one.id < other.id ? -1 : 1
}
