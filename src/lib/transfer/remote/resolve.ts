import type {Client, Page} from '#lib/client/client.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import {
  createNameFinder,
  findDriveNamed,
  findElsewhere,
  type FindName,
  type NameFinder,
} from './find-names.js'
import {gatherCalls, isOfOneCall} from './gather.js'
import {
  ALL_DRIVES,
  candidateOf,
  entriesInFolders,
  ENTRY_FIELDS,
  type EntryInFolders,
  entryOf,
  searchParameters,
} from './records.js'
import type {RemotePath, ResolvedPath, Start} from './remote-path.js'
import {
  type Choose,
  missing,
  noFolder,
  refuseToChoose,
  type ResolveCandidate,
  ResolveError,
} from './resolve-error.js'
import {followShortcut} from './shortcuts.js'

/** The result of resolving one of several paths, or its error. */
export type Located = {readonly found: ResolvedPath} | {readonly error: unknown}

/**
 * Resolves paths name by name, as far as they exist; names are case-sensitive. A single path takes two
 * requests: one search for all names, whose results are combined by their parents; names with more
 * results than one page take one more request each. Lookups of several paths are combined, and none is
 * made twice. Returns the results in order: `ResolveError('wrongKind')` if something on the way is not
 * a folder, `'missing'` if the start does not exist. `choose` decides if several items have a name: for
 * one path at a time, and once for paths that share the ambiguous part. Throws errors that concern all
 * paths, such as a refused token or a network failure.
 */
export async function resolveRemotePaths(
  client: Client,
  places: readonly RemotePath[],
  choose: Choose = refuseToChoose,
): Promise<Located[]> {
  const distinct = new Map(places.map(place => [keyOf(place), place]))
  // A single path already combines its requests.
  const reads = distinct.size > 1 ? gatherCalls(client) : client
  const finder = createNameFinder(reads)
  const ask = inTurn(choose)
  const located = await Promise.all(
    [...distinct.values()].map(place => locatedBy(follow(reads, place, ask, finder))),
  )
  const results = new Map([...distinct.keys()].map((key, index) => [key, located[index]!]))
  for (const place of distinct.values()) reportPath(client, place, results.get(keyOf(place))!)
  return places.map(place => results.get(keyOf(place))!)
}

/** Reports the path of the entry that was found, unless the command line names it by its ID. */
function reportPath(client: Client, place: RemotePath, located: Located): void {
  if ('error' in located || place.start.in === 'id') return
  const {entry, missing} = located.found
  client.resolved?.(entry.id, pathTo(place, place.names.length - missing.length))
}

/** Resolves one path; throws its error. */
export async function resolveRemotePath(
  client: Client,
  place: RemotePath,
  choose?: Choose,
): Promise<ResolvedPath> {
  return foundIn(await resolveRemotePaths(client, [place], choose))
}

/** Maximum number of missing paths to suggest a name for, because each may take a request. */
const SUGGESTED = 20

/**
 * Like `resolveRemotePaths`, but a path whose end does not exist is an error too:
 * `ResolveError('missing')` with the nearest name.
 */
export async function findRemotePaths(
  client: Client,
  places: readonly RemotePath[],
  choose?: Choose,
): Promise<Located[]> {
  const all = await resolveRemotePaths(client, places, choose)
  const reads = places.length > 1 ? gatherCalls(client) : client
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

/** Finds one path; throws its error. */
export async function findRemotePath(
  client: Client,
  place: RemotePath,
  choose?: Choose,
): Promise<ResolvedPath> {
  return foundIn(await findRemotePaths(client, [place], choose))
}

function foundIn([located]: readonly Located[]): ResolvedPath {
  if ('error' in located!) throw located.error
  return located!.found
}

function keyOf({start, names}: RemotePath): string {
  return JSON.stringify([start, names])
}

/** The result for one path. Throws errors that concern all paths. */
async function locatedBy(finding: Promise<ResolvedPath>): Promise<Located> {
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

/** Asks one question at a time, and each only once; no more after an error that concerns all paths. */
function inTurn(choose: Choose): Choose {
  const answers = new Map<string, Promise<ResolveCandidate>>()
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
): Promise<ResolvedPath> {
  const {start, names, known} = place
  if (known) return known
  if (start.in === 'trash' || start.in === 'shared') {
    return {entry: await findElsewhere(client, place, start.in, finder, choose), missing: []}
  }
  const {top, driveId, look} = await openStart(client, place, choose, finder)
  let at: Pick<ResolvedPath, 'entry' | 'driveId'> = {entry: top, driveId}
  const above: string[] = []
  for (const [index, name] of names.entries()) {
    const way = pathTo(place, index)
    above.push(at.entry.id)
    at = await followShortcut(client, at, way)
    const {entry} = at
    above.push(entry.id)
    if (entry.kind !== 'folder') throw noFolder(entry, way)
    const next = await pick(await look(entry.id, name), pathTo(place, index + 1), choose)
    if (!next) return {...at, missing: names.slice(index)}
    at = {...at, entry: next.entry}
  }
  // A path from an ID does not lead through the folders above it.
  return {...at, missing: [], ...(start.in !== 'id' && {above: [...new Set(above)]})}
}

/** The error for a missing item; it suggests the nearest of `titles`. */
function missingAt(
  place: RemotePath,
  {missing: names}: ResolvedPath,
  titles: readonly string[],
): ResolveError {
  const [name = ''] = names
  const way = pathTo(place, place.names.length - names.length)
  return missing(`There is no ${JSON.stringify(name)} in ${way}`, name, titles)
}

interface Opened {
  readonly top: RemoteEntry
  readonly driveId?: string
  readonly look: FindName
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
  // Names in My Drive can be searched before its ID is known.
  const [record, look] = await Promise.all([get('root'), finder.prepare(names, undefined)])
  return {top: entryOf(record), driveId: driveOf(record), look}
}

/** The entry that is meant if several have the same name. */
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

/** The titles on the first page of a folder's list; empty if it cannot be read. */
async function titlesIn(client: Client, {entry: {id}, driveId}: ResolvedPath): Promise<string[]> {
  try {
    for await (const page of client.pages('files.list', {
      params: searchParameters({folderIds: [id], driveId}),
    })) {
      return entriesInFolders(page).map(({entry}) => entry.title)
    }
  } catch {
    // Report only that the name is missing.
  }
  return []
}

/** The first `count` names of a path as text. */
export function pathTo({start, names}: RemotePath, count: number): string {
  return [startText(start), ...names.slice(0, count)].join('/') || '/'
}

function startText(start: Start): string {
  if (start.in === 'id') return start.id
  if (start.in === 'drive') return `drive:${start.name}`
  return start.in === 'myDrive' ? '' : `${start.in}:`
}
