import type {Client, Page} from '../../client/client.js'
import type {RemoteEntry} from '../tree/entries.js'
import {findDriveNamed} from './drive.js'
import {findElsewhere} from './elsewhere.js'
import type {RemotePath, Start} from './remotepath.js'
import {
  ALL_DRIVES,
  candidateOf,
  ENTRY_FIELDS,
  entryOf,
  type EntryInFolders,
  entriesInFolders,
  type Search,
  searchParameters,
} from './records.js'
import {type Choose, missing, noFolder, refuseToChoose} from './resolveerror.js'
import {named, searchEntries} from './search.js'

/** Where a place leads. */
export interface Found {
  /** The last thing on the way that is there. */
  readonly entry: RemoteEntry
  /** The names behind it that are not there. */
  readonly missing: readonly string[]
  /** The shared drive it is in. */
  readonly driveId?: string
}

/** So many characters of titles fit into one query; some services cut addresses off at 8,000. */
const TITLES = 1500

/**
 * Follows a place name by name. A title counts as it is written, with its capitals. It takes two
 * requests: all names are searched for at once, and put together by the folders they are in; only
 * where so many things have these names that they do not come with one answer, it is one request
 * for each name. Where several things have a name, `choose` says which is meant. Throws
 * `ResolveError`: `'wrongKind'` where something on the way is no folder, and `'missing'` where
 * nothing is at the start of the place.
 */
export async function resolveRemotePath(
  client: Client,
  place: RemotePath,
  choose: Choose = refuseToChoose,
): Promise<Found> {
  const {start, names} = place
  if (start.in === 'trash' || start.in === 'shared') {
    return {entry: await findElsewhere(client, place, start.in, choose), missing: []}
  }
  const {top, driveId, known} = await openStart(client, place, choose)
  let entry = top
  for (const [index, name] of names.entries()) {
    if (entry.kind !== 'folder') throw noFolder(entry, pathTo(place, index))
    const {id} = entry
    const there = known?.filter(({parents}) => parents.includes(id))
    const next = await pick(
      named(
        name,
        there ?? (await searchEntries(client, {folderIds: [id], titles: [name], driveId})),
      ),
      pathTo(place, index + 1),
      choose,
    )
    if (!next) return {entry, missing: names.slice(index), driveId}
    entry = next.entry
  }
  return {entry, missing: [], driveId}
}

/** Follows a place to its end, as `resolveRemotePath` does; throws `'missing'` also where that is not there. */
export async function findRemotePath(
  client: Client,
  place: RemotePath,
  choose?: Choose,
): Promise<Found> {
  const found = await resolveRemotePath(client, place, choose)
  await checkWhole(client, place, found)
  return found
}

/** Throws `ResolveError('missing')`, with the nearest name, where something on the way is not there. */
export async function checkWhole(
  client: Client,
  place: RemotePath,
  {entry, missing: names, driveId}: Found,
): Promise<void> {
  const [name] = names
  if (name === undefined) return
  const way = pathTo(place, place.names.length - names.length)
  const titles = await titlesIn(client, entry, driveId)
  throw missing(`There is no ${JSON.stringify(name)} in ${way}`, name, titles)
}

interface Opened {
  readonly top: RemoteEntry
  readonly driveId?: string
  /** All that has one of the place's names; `undefined` where that is not known. */
  readonly known?: readonly EntryInFolders[]
}

async function openStart(
  client: Client,
  {start, names}: RemotePath,
  choose: Choose,
): Promise<Opened> {
  const driveOf = ({driveId}: Page) => (typeof driveId === 'string' ? driveId : undefined)
  const get = async (fileId: string) =>
    (await client.call('files.get', {params: {fileId, fields: ENTRY_FIELDS, ...ALL_DRIVES}})) ?? {}
  if (start.in === 'drive') {
    const {id: driveId, title} = await findDriveNamed(client, start.name, choose)
    const top = {kind: 'folder', id: driveId, title} as const
    return {top, driveId, known: await searchAll(client, names, {driveId})}
  }
  if (start.in === 'id') {
    const record = await get(start.id)
    const driveId = driveOf(record)
    return {top: entryOf(record), driveId, known: await searchAll(client, names, {driveId})}
  }
  // What is in My Drive can be searched for before its top is known.
  const [record, known] = await Promise.all([get('root'), searchAll(client, names, {})])
  return {top: entryOf(record), driveId: driveOf(record), known}
}

/** All that has any of some names; `undefined` where that is too much, or their folders are not told. */
async function searchAll(
  client: Client,
  titles: readonly string[],
  {driveId}: Pick<Search, 'driveId'>,
): Promise<readonly EntryInFolders[] | undefined> {
  if (titles.length === 0 || titles.join('').length > TITLES) return undefined
  const params = searchParameters({titles, driveId})
  for await (const page of client.pages('files.list', {params})) {
    const found = entriesInFolders(page)
    // What lies outside My Drive may be in no folder that the service tells.
    const isPlaced = found.length === 0 || found.some(({parents}) => parents.length > 0)
    return page.nextPageToken === undefined && isPlaced ? found : undefined
  }
  return undefined
}

/** The one of several things of a name that is meant. */
async function pick(
  found: readonly EntryInFolders[],
  way: string,
  choose: Choose,
): Promise<EntryInFolders | undefined> {
  if (found.length < 2) return found[0]
  const {id} = await choose(
    way,
    found.map(placed => candidateOf(placed, way)),
  )
  return found.find(({entry}) => entry.id === id)
}

/** What is in a folder, as far as one request tells; nothing where it cannot be read. */
async function titlesIn(
  client: Client,
  {id}: RemoteEntry,
  driveId: string | undefined,
): Promise<string[]> {
  try {
    for await (const page of client.pages('files.list', {
      params: searchParameters({folderIds: [id], driveId}),
    })) {
      return entriesInFolders(page).map(({entry}) => entry.title)
    }
  } catch {
    // That the name is missing is what has to be told.
  }
  return []
}

/** The first names of a place as a path. */
function pathTo({start, names}: RemotePath, count: number): string {
  return [startText(start), ...names.slice(0, count)].join('/') || '/'
}

function startText(start: Start): string {
  if (start.in === 'id') return start.id
  if (start.in === 'drive') return `drive:${start.name}`
  return start.in === 'myDrive' ? '' : `${start.in}:`
}
