import type {Client, Page} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {titleKey} from '#lib/transfer/local/names.js'
import type {RemoteEntry, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {type Look, lookAlone, type Looking, named} from './find-names.js'
import {listFolder, type ListingOptions} from './listing.js'
import {createPaths} from './paths.js'
import {
  ALL_DRIVES,
  candidateOf,
  entriesInFolders,
  ENTRY_FIELDS,
  type EntryInFolders,
  entryOf,
  searchParameters,
} from './records.js'
import type {RemotePath, Start} from './remote-path.js'
import {
  type Candidate,
  type Choose,
  missing,
  noFolder,
  refuseToChoose,
  type ResolveError,
} from './resolve-error.js'

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

/** The shared drive of a name. Throws `ResolveError`. */
export async function findDriveNamed(
  client: Client,
  name: string,
  choose: Choose,
): Promise<{readonly id: string; readonly title: string}> {
  const names: string[] = []
  const found: Candidate[] = []
  const fields = 'nextPageToken,items(id,name,createdDate)'
  const params = {maxResults: '100', fields}
  for await (const page of client.pages('drives.list', {params})) {
    for (const {id, name: title, createdDate} of recordsOf(page)) {
      if (typeof id !== 'string' || typeof title !== 'string') continue
      names.push(title)
      if (titleKey(title) !== titleKey(name)) continue
      const date = typeof createdDate === 'string' ? {date: createdDate} : {}
      found.push({id, kind: 'a shared drive', path: `drive:${title}`, ...date})
    }
  }
  const [first, second] = found
  if (!first) throw missing(`There is no shared drive ${JSON.stringify(name)}`, name, names)
  const {id} = second ? await choose(`drive:${name}`, found) : first
  return {id, title: name}
}

/**
 * What has a name in the trash, or among what others share and what lies outside My Drive. In the
 * trash the names may be the last ones of the old path.
 */
export async function findElsewhere(
  client: Client,
  {names, text}: RemotePath,
  where: 'trash' | 'shared',
  looking: Pick<Looking, 'all'>,
  choose: Choose,
): Promise<RemoteEntry> {
  const isTrashToo = where === 'trash'
  const all = await looking.all(names, isTrashToo)
  const isStart = (placed: EntryInFolders) => isTrashToo || isOutside(placed)
  const matches = names.reduce<readonly EntryInFolders[] | undefined>((above, name) => {
    const there = named(name, all)
    if (!above) return there.filter(isStart)
    const ids = above.map(({entry}) => entry.id)
    return there.filter(({parents}) => parents.some(id => ids.includes(String(id))))
  }, undefined)
  const found = (matches ?? []).filter(({record}) => !isTrashToo || isTrashed(record))
  if (found.length > 1) {
    const paths = await createPaths(client).of(found.map(({record}) => record))
    const candidates = found.map((placed, index) => candidateOf(placed, paths[index]!))
    const {id} = await choose(text, candidates)
    return found.find(({entry}) => entry.id === id)!.entry
  }
  if (found[0]) return found[0].entry
  const words = isTrashToo ? 'in the trash' : 'among what others share with you'
  throw missing(`There is no ${JSON.stringify(names.join('/'))} ${words}`, '', [])
}

function isOutside({parents, record}: EntryInFolders): boolean {
  if (record.driveId !== undefined) return false
  return parents.length === 0 || typeof record.sharedWithMeDate === 'string'
}

function isTrashed({labels}: Page): boolean {
  return (labels as {trashed?: unknown} | undefined)?.trashed === true
}

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
