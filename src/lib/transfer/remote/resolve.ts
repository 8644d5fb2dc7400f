import type {Client} from '../../client/client.js'
import type {RemoteEntry} from '../tree/entries.js'
import {wordFor} from '../tree/entries.js'
import {titleKey} from '../local/names.js'
import type {RemotePath} from './remotepath.js'
import {
  ALL_DRIVES,
  ENTRY_FIELDS,
  entryOf,
  type EntryInFolders,
  entriesInFolders,
  type Search,
  searchParameters,
} from './records.js'

/** Where a place leads. */
export interface Found {
  /** The last thing on the path that is there. */
  readonly entry: RemoteEntry
  /** The names behind it that are not there. */
  readonly missing: readonly string[]
  /** The shared drive it is in. */
  readonly driveId?: string
}

/** A place that cannot be worked with. `message` and `hint` are whole sentences. */
export class ResolveError extends Error {
  constructor(
    readonly kind: 'ambiguous' | 'missing' | 'wrongKind',
    message: string,
    readonly hint: string,
  ) {
    super(message)
    this.name = 'ResolveError'
  }
}

/** So many characters of titles fit into one query; some services cut addresses off at 8,000. */
const TITLES = 1500

/**
 * Follows a place name by name. A title counts as it is written, with its capitals. It takes two
 * requests: all names are searched for at once, and put together by the folders they are in; only
 * where so many things have these names that they do not come with one answer, it is one request
 * for each name. Throws `ResolveError('ambiguous')` with both IDs where two things have the name,
 * and `'wrongKind'` where something on the path is no folder.
 */
export async function resolveRemotePath(client: Client, place: RemotePath): Promise<Found> {
  const {start, names} = place
  const get = async () =>
    (await client.call('files.get', {
      params: {fileId: start, fields: ENTRY_FIELDS, ...ALL_DRIVES},
    })) ?? {}
  // What is in My Drive can be searched for before its top is known.
  const [record, early] = await Promise.all([
    get(),
    start === 'root' ? searchAll(client, names, {}) : undefined,
  ])
  const driveId = typeof record.driveId === 'string' ? record.driveId : undefined
  const known = start === 'root' ? early : await searchAll(client, names, {driveId})
  let entry = entryOf(record)
  for (const [index, name] of names.entries()) {
    const path = pathTo(place, index)
    if (entry.kind !== 'folder') throw noFolder(entry, path)
    const {id} = entry
    const there = known?.filter(({parents}) => parents.includes(id))
    const next = pick(
      named(name, there ?? (await search(client, {folderIds: [id], titles: [name], driveId}))),
      pathTo(place, index + 1),
    )
    if (!next) return {entry, missing: names.slice(index), driveId}
    entry = next
  }
  return {entry, missing: [], driveId}
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
    const isWhole =
      page.nextPageToken === undefined && found.every(({parents}) => parents.length > 0)
    return isWhole ? found : undefined
  }
  return undefined
}

async function search(client: Client, wanted: Search): Promise<readonly EntryInFolders[]> {
  const found: EntryInFolders[] = []
  for await (const page of client.pages('files.list', {params: searchParameters(wanted)})) {
    found.push(...entriesInFolders(page))
  }
  return found
}

/** The service compares titles without regard to capitals. */
function named(name: string, found: readonly EntryInFolders[]): RemoteEntry[] {
  const key = titleKey(name)
  return found.map(({entry}) => entry).filter(({title}) => titleKey(title) === key)
}

/** The one of several things of a name; throws `ResolveError('ambiguous')` when there are more. */
export function pick(entries: readonly RemoteEntry[], path: string): RemoteEntry | undefined {
  const [first, second] = entries
  if (!first || !second) return first
  throw new ResolveError(
    'ambiguous',
    `${path} is the name of ${entries.length} things: ${listWithIds(entries)}.`,
    'Name the one you mean by its ID, or give one of them another title.',
  )
}

/** `a file with the ID A, a folder with the ID B` */
export function listWithIds(entries: readonly RemoteEntry[]): string {
  return entries.map(entry => `${wordFor(entry)} with the ID ${entry.id}`).join(', ')
}

/** A folder is needed, and this is none. */
export function noFolder(entry: RemoteEntry, path: string): ResolveError {
  return new ResolveError(
    'wrongKind',
    `${path} is ${wordFor(entry)}, not a folder.`,
    'Name a folder, by its path or its ID.',
  )
}

function pathTo({start, names}: RemotePath, count: number): string {
  return [start === 'root' ? '' : start, ...names.slice(0, count)].join('/') || '/'
}
