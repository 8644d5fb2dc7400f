import type {Client, Page} from '#lib/client/client.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import {
  createNameFinder,
  findDriveNamed,
  findElsewhere,
  type Look,
  type NameFinder,
} from './find-names.js'
import {gather, isOfOneCall} from './gather.js'
import {
  ALL_DRIVES,
  candidateOf,
  entriesInFolders,
  ENTRY_FIELDS,
  type EntryInFolders,
  entryOf,
  searchParameters,
} from './records.js'
import type {Found, RemotePath, Start} from './remote-path.js'
import {
  type Candidate,
  type Choose,
  missing,
  noFolder,
  refuseToChoose,
  ResolveError,
} from './resolve-error.js'
import {followShortcut} from './shortcuts.js'

/** Where one of many places leads, or why it leads nowhere. */
export type Located = {readonly found: Found} | {readonly error: unknown}

/**
 * Follows places name by name, as far as what is on the way is there. A title counts as it is written,
 * with its capitals. One place takes two requests: all names are searched for at once, and put together
 * by the folders they are in; only where so many things have these names that they do not come with one
 * answer, it is one request for each name. What many places need at the same time is asked for together,
 * and none of it twice. Gives what came of each in their order: `ResolveError('wrongKind')` where
 * something on the way is no folder, and `'missing'` where nothing is at the start of the place. Where
 * several things have a name, `choose` says which is meant: for one place at a time, and once where
 * several places lead through the same things. Throws what concerns all, such as a refused token or a
 * network that is gone.
 */
export async function resolveRemotePaths(
  client: Client,
  places: readonly RemotePath[],
  choose: Choose = refuseToChoose,
): Promise<Located[]> {
  const distinct = new Map(places.map(place => [keyOf(place), place]))
  // The requests of one place are side by side already.
  const reads = distinct.size > 1 ? gather(client) : client
  const finder = createNameFinder(reads)
  const ask = inTurn(choose)
  const located = await Promise.all(
    [...distinct.values()].map(place => locatedBy(follow(reads, place, ask, finder))),
  )
  const results = new Map([...distinct.keys()].map((key, index) => [key, located[index]!]))
  return places.map(place => results.get(keyOf(place))!)
}

/** The same of one place; throws why it leads nowhere. */
export async function resolveRemotePath(
  client: Client,
  place: RemotePath,
  choose?: Choose,
): Promise<Found> {
  return foundIn(await resolveRemotePaths(client, [place], choose))
}

/** For so many places that lead nowhere the nearest name is told: each may be a request. */
const SUGGESTED = 20

/**
 * Follows places to their ends, as `resolveRemotePaths` does; `ResolveError('missing')`, with the
 * nearest name, also where the end is not there.
 */
export async function findRemotePaths(
  client: Client,
  places: readonly RemotePath[],
  choose?: Choose,
): Promise<Located[]> {
  const all = await resolveRemotePaths(client, places, choose)
  const reads = places.length > 1 ? gather(client) : client
  const isLost = (located: Located) => 'found' in located && located.found.missing.length > 0
  const suggested = new Set(all.filter(isLost).slice(0, SUGGESTED))
  return Promise.all(
    all.map(async (located, index) => {
      if ('error' in located || !isLost(located)) return located
      const titles = suggested.has(located) ? await titlesIn(reads, located.found) : []
      return {error: missingAt(places[index]!, located.found, titles)}
    }),
  )
}

/** The same of one place; throws why it leads nowhere. */
export async function findRemotePath(
  client: Client,
  place: RemotePath,
  choose?: Choose,
): Promise<Found> {
  return foundIn(await findRemotePaths(client, [place], choose))
}

function foundIn([located]: readonly Located[]): Found {
  if ('error' in located!) throw located.error
  return located!.found
}

function keyOf({start, names}: RemotePath): string {
  return JSON.stringify([start, names])
}

/** Where a place leads. Throws what concerns all. */
async function locatedBy(finding: Promise<Found>): Promise<Located> {
  try {
    return {found: await finding}
  } catch (error) {
    if (isOfOnePlace(error)) return {error}
    throw error
  }
}

function isOfOnePlace(error: unknown): boolean {
  return error instanceof ResolveError || isOfOneCall(error)
}

/** Asks one question after the other, and each once; none after one that ended all. */
function inTurn(choose: Choose): Choose {
  const answers = new Map<string, Promise<Candidate>>()
  let turn: Promise<unknown> = Promise.resolve()
  return (way, candidates) => {
    const key = JSON.stringify([way, candidates.map(({id}) => id)])
    const known = answers.get(key)
    if (known) return known
    const answer = turn.then(() => choose(way, candidates))
    answers.set(key, answer)
    turn = answer.catch((error: unknown) => {
      if (!isOfOnePlace(error)) throw error
    })
    turn.catch(() => undefined)
    return answer
  }
}

async function follow(
  client: Client,
  place: RemotePath,
  choose: Choose,
  finder: NameFinder,
): Promise<Found> {
  const {start, names, known} = place
  if (known) return known
  if (start.in === 'trash' || start.in === 'shared') {
    return {entry: await findElsewhere(client, place, start.in, finder, choose), missing: []}
  }
  const {top, driveId, look} = await openStart(client, place, choose, finder)
  let at: Pick<Found, 'entry' | 'driveId'> = {entry: top, driveId}
  for (const [index, name] of names.entries()) {
    const way = pathTo(place, index)
    at = await followShortcut(client, at, way)
    const {entry} = at
    if (entry.kind !== 'folder') throw noFolder(entry, way)
    const next = await pick(await look(entry.id, name), pathTo(place, index + 1), choose)
    if (!next) return {...at, missing: names.slice(index)}
    at = {...at, entry: next.entry}
  }
  return {...at, missing: []}
}

/** What to say where something on the way is not there; the nearest of `titles` is told. */
function missingAt(
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
  finder: NameFinder,
): Promise<Opened> {
  const driveOf = ({driveId}: Page) => (typeof driveId === 'string' ? driveId : undefined)
  const get = async (fileId: string) =>
    (await client.call('files.get', {params: {fileId, fields: ENTRY_FIELDS, ...ALL_DRIVES}})) ?? {}
  if (start.in === 'drive') {
    const {id: driveId, title} = await findDriveNamed(client, start.name, choose)
    const top = {kind: 'folder', id: driveId, title} as const
    return {top, driveId, look: await finder.prepare(names, driveId)}
  }
  if (start.in === 'id') {
    const record = await get(start.id)
    const driveId = driveOf(record)
    return {top: entryOf(record), driveId, look: await finder.prepare(names, driveId)}
  }
  // What is in My Drive can be searched for before its top is known.
  const [record, look] = await Promise.all([get('root'), finder.prepare(names, undefined)])
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
async function titlesIn(client: Client, {entry: {id}, driveId}: Found): Promise<string[]> {
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
export function pathTo({start, names}: RemotePath, count: number): string {
  return [startText(start), ...names.slice(0, count)].join('/') || '/'
}

function startText(start: Start): string {
  if (start.in === 'id') return start.id
  if (start.in === 'drive') return `drive:${start.name}`
  return start.in === 'myDrive' ? '' : `${start.in}:`
}
