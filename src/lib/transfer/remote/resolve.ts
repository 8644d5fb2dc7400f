import type {Client, Page} from '#lib/client/client.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import {findDriveNamed} from './drive.js'
import {findElsewhere} from './elsewhere.js'
import {type Look, lookAlone, type Looking} from './looking.js'
import {
  ALL_DRIVES,
  candidateOf,
  entriesInFolders,
  ENTRY_FIELDS,
  type EntryInFolders,
  entryOf,
  searchParameters,
} from './records.js'
import type {RemotePath, Start} from './remotepath.js'
import {type Choose, missing, noFolder, refuseToChoose, type ResolveError} from './resolveerror.js'

/** Where a place leads. */
export interface Found {
  /** The last thing on the way that is there. */
  readonly entry: RemoteEntry
  /** The names behind it that are not there. */
  readonly missing: readonly string[]
  /** The shared drive it is in. */
  readonly driveId?: string
}

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
  return followPlace(client, place, choose, lookAlone(client))
}

/** Follows a place name by name, as `resolveRemotePath` does; how names are looked for is up to `looking`. */
export async function followPlace(
  client: Client,
  place: RemotePath,
  choose: Choose,
  looking: Looking,
): Promise<Found> {
  const {start, names} = place
  if (start.in === 'trash' || start.in === 'shared') {
    return {entry: await findElsewhere(client, place, start.in, looking, choose), missing: []}
  }
  const {top, driveId, look} = await openStart(client, place, choose, looking)
  let entry = top
  for (const [index, name] of names.entries()) {
    if (entry.kind !== 'folder') throw noFolder(entry, pathTo(place, index))
    const next = await pick(await look(entry.id, name), pathTo(place, index + 1), choose)
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
export async function checkWhole(client: Client, place: RemotePath, found: Found): Promise<void> {
  if (found.missing.length === 0) return
  throw missingAt(place, found, await titlesIn(client, found))
}

/** What to say where something on the way is not there; the nearest of `titles` is told. */
export function missingAt(
  place: RemotePath,
  {missing: names}: Found,
  titles: readonly string[],
): ResolveError {
  const [name = ''] = names
  const way = pathTo(place, place.names.length - names.length)
  return missing(`There is no ${JSON.stringify(name)} in ${way}`, name, titles)
}

interface Opened {
  readonly top: RemoteEntry
  readonly driveId?: string
  readonly look: Look
}

async function openStart(
  client: Client,
  {start, names}: RemotePath,
  choose: Choose,
  looking: Looking,
): Promise<Opened> {
  const driveOf = ({driveId}: Page) => (typeof driveId === 'string' ? driveId : undefined)
  const get = async (fileId: string) =>
    (await client.call('files.get', {params: {fileId, fields: ENTRY_FIELDS, ...ALL_DRIVES}})) ?? {}
  if (start.in === 'drive') {
    const {id: driveId, title} = await findDriveNamed(client, start.name, choose)
    const top = {kind: 'folder', id: driveId, title} as const
    return {top, driveId, look: await looking.prepare(names, driveId)}
  }
  if (start.in === 'id') {
    const record = await get(start.id)
    const driveId = driveOf(record)
    return {top: entryOf(record), driveId, look: await looking.prepare(names, driveId)}
  }
  // What is in My Drive can be searched for before its top is known.
  const [record, look] = await Promise.all([get('root'), looking.prepare(names, undefined)])
  return {top: entryOf(record), driveId: driveOf(record), look}
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
export async function titlesIn(client: Client, {entry: {id}, driveId}: Found): Promise<string[]> {
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
