import type {Client, Page} from '#lib/client/client.js'
import {allRecords} from '#lib/client/pages.js'
import {groupBy} from '#lib/platform/values.js'
import {titleKey} from '#lib/transfer/local/names.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import {createCombiner} from './gather.js'
import {createPaths} from './paths.js'
import {
  candidateOf,
  entriesInFolders,
  type EntryInFolders,
  type Search,
  searchParameters,
} from './records.js'
import type {RemotePath} from './remote-path.js'
import {type Choose, missing, type ResolveCandidate} from './resolve-error.js'

/** Finds the entries with a name in a folder. */
export type FindName = (folderId: string, name: string) => Promise<readonly EntryInFolders[]>

/** Finds entries by name, for one path or for many at the same time. */
export interface NameFinder {
  /** Prepares lookups for the names of a path, in My Drive (and outside it) or in a shared drive. */
  prepare(names: readonly string[], driveId: string | undefined): Promise<FindName>
  /** All entries with any of some names, in any folder. */
  all(names: readonly string[], isTrashToo: boolean): Promise<readonly EntryInFolders[]>
}

/**
 * Maximum number of characters of titles in a query, percent-encoded: some services limit URLs to 8,000
 * characters and the number of terms.
 */
const TITLES = 1500
/** Maximum number of titles, and of folders, in one query. */
const TERMS = 50

/** Whether one query can contain these titles and folders. */
export function fitsOneSearch(titles: Iterable<string>, folderIds: Iterable<string> = []): boolean {
  const all = [...titles]
  const written = String(new URLSearchParams({q: all.join('')}))
  return all.length <= TERMS && [...folderIds].length <= TERMS && written.length <= TITLES
}

/** All entries with any of some titles, in any folder; `undefined` if they take more than one page. */
async function searchAtOnce(
  client: Client,
  titles: readonly string[],
  driveId: string | undefined,
): Promise<readonly EntryInFolders[] | undefined> {
  for await (const page of client.pages('files.list', {
    params: searchParameters({titles, driveId}),
  })) {
    return page.nextPageToken === undefined ? entriesInFolders(page) : undefined
  }
  return undefined
}

/**
 * Those of the found entries that are in a folder; `undefined` if unknown, since entries outside My Drive
 * may have no visible parent.
 */
function placedIn(
  folderId: string,
  found: readonly EntryInFolders[] | undefined,
): readonly EntryInFolders[] | undefined {
  const isPlaced = found?.length === 0 || found?.some(({parents}) => parents.length > 0)
  return isPlaced ? found?.filter(({parents}) => parents.includes(folderId)) : undefined
}

/** A name to find, in a folder or anywhere. */
interface Wanted {
  readonly name: string
  readonly driveId?: string
  readonly folderId?: string
  readonly isTrashToo?: boolean
}

/** Found entries by `titleKey`. */
type ByTitle = ReadonlyMap<string, readonly EntryInFolders[]>

/**
 * Combines lookups that are made at the same time: many names with one search across all folders. Names
 * with too many results are then searched in the folders that the paths have reached, many folders with
 * one search.
 */
export function createNameFinder(client: Client): NameFinder {
  const everywhere = gatherNames<readonly EntryInFolders[] | undefined>(async wanted => {
    const [{driveId}] = wanted
    const found = await searchAtOnce(client, namesOf(wanted), driveId)
    const byTitle = found && keyed(found)
    return ({name}) => byTitle && titled(byTitle, name)
  })

  const inFolders = gatherNames<readonly EntryInFolders[]>(async wanted => {
    const found = await searchIn(wanted)
    const folders = groupBy(wanted, ({folderId}) => folderId!)
    const isPlaced = found.every(({parents}) => parents.some(id => folders.has(String(id))))
    if (isPlaced && folders.size > 1) {
      const byTitle = keyed(found)
      return ({name, folderId}) =>
        titled(byTitle, name).filter(({parents}) => parents.includes(folderId))
    }
    // If the service does not return parents, search each folder separately.
    const each = [...folders].map(async ([id, some]) => {
      return [id, keyed(folders.size > 1 ? await searchIn(some) : found)] as const
    })
    const inEach = new Map(await Promise.all(each))
    return ({name, folderId}) => titled(inEach.get(folderId!)!, name)
  })

  function searchIn(wanted: readonly Wanted[]): Promise<readonly EntryInFolders[]> {
    const folderIds = wanted.map(({folderId}) => folderId!)
    return searchEntries(client, {folderIds, titles: namesOf(wanted), driveId: wanted[0]?.driveId})
  }

  const elsewhere = gatherNames<readonly EntryInFolders[]>(async wanted => {
    const [{isTrashToo}] = wanted
    const byTitle = keyed(await searchEntries(client, {titles: namesOf(wanted), isTrashToo}))
    return ({name}) => titled(byTitle, name)
  })

  return {
    async prepare(names, driveId) {
      const all = names.map(async name => [name, await everywhere({name, driveId})] as const)
      const known = new Map(await Promise.all(all))
      return async (folderId, name) =>
        placedIn(folderId, known.get(name)) ?? inFolders({name, driveId, folderId})
    },
    async all(names, isTrashToo) {
      const found = await Promise.all(names.map(name => elsewhere({name, isTrashToo})))
      // Two of the names may have the same key.
      return [...new Set(found.flat())]
    },
  }
}

/** A lookup for one name; `find` handles as many as fit into one search, all in the same drive. */
function gatherNames<Answer>(
  find: (wanted: readonly [Wanted, ...Wanted[]]) => Promise<(one: Wanted) => Answer>,
) {
  return createCombiner<Wanted, Answer>({
    keyOf: one => JSON.stringify(one),
    // After all code that can still run, but before any request is sent.
    later: work => process.nextTick(work),
    answer(questions) {
      const answers = new Map<Wanted, Promise<Answer>>()
      for (const some of inSearches(questions)) {
        const finding = find(some)
        for (const one of some) {
          answers.set(
            one,
            finding.then(answerTo => answerTo(one)),
          )
        }
      }
      return questions.map(one => answers.get(one)!)
    },
  })
}

/** The names for each search, in order. */
function inSearches(all: readonly Wanted[]): Array<[Wanted, ...Wanted[]]> {
  return [...groupBy(all, placeOf).values()].flatMap(ofPlace => {
    const searches: Array<[Wanted, ...Wanted[]]> = []
    let names = new Set<string>()
    let folders = new Set<string>()
    for (const one of ofPlace) {
      const {name, folderId} = one
      const last = searches.at(-1)
      names.add(name)
      if (folderId !== undefined) folders.add(folderId)
      if (last && fitsOneSearch(names, folders)) last.push(one)
      else {
        searches.push([one])
        names = new Set([name])
        folders = new Set(folderId === undefined ? [] : [folderId])
      }
    }
    return searches
  })
}

function placeOf({driveId, isTrashToo}: Wanted): string {
  return JSON.stringify([driveId, isTrashToo])
}

function namesOf(wanted: readonly Wanted[]): string[] {
  return wanted.map(({name}) => name)
}

function keyed(found: readonly EntryInFolders[]): ByTitle {
  return groupBy(found, ({entry}) => titleKey(entry.title))
}

function titled(byTitle: ByTitle, name: string): readonly EntryInFolders[] {
  return byTitle.get(titleKey(name)) ?? []
}

/** All results of a search, from all pages. */
export async function searchEntries(
  client: Client,
  wanted: Search,
): Promise<readonly EntryInFolders[]> {
  const found: EntryInFolders[] = []
  for await (const page of client.pages('files.list', {params: searchParameters(wanted)})) {
    found.push(...entriesInFolders(page))
  }
  return found
}

/** The entries with exactly this title; the service ignores case. */
export function withExactTitle(name: string, found: readonly EntryInFolders[]): EntryInFolders[] {
  const key = titleKey(name)
  return found.filter(({entry}) => titleKey(entry.title) === key)
}

/** All shared drives. */
export async function drivesOf(
  client: Client,
): Promise<ReadonlyArray<Page & {readonly id: string; readonly name: string}>> {
  const fields = 'nextPageToken,items(id,name,createdDate)'
  const all = await allRecords(client, 'drives.list', {params: {maxResults: '100', fields}})
  return all.flatMap(record => {
    const {id, name} = record
    return typeof id === 'string' && typeof name === 'string' ? [{...record, id, name}] : []
  })
}

/** The shared drive with a name. Throws `ResolveError`. */
export async function findDriveNamed(
  client: Client,
  name: string,
  choose: Choose,
): Promise<{readonly id: string; readonly title: string}> {
  const names: string[] = []
  const found: ResolveCandidate[] = []
  for (const {id, name: title, createdDate} of await drivesOf(client)) {
    names.push(title)
    if (titleKey(title) !== titleKey(name)) continue
    const date = typeof createdDate === 'string' ? {date: createdDate} : {}
    found.push({id, kind: 'a shared drive', path: `drive:${title}`, ...date})
  }
  const [first, second] = found
  if (!first) throw missing(`There is no shared drive ${JSON.stringify(name)}`, name, names)
  const {id} = second ? await choose(`drive:${name}`, found) : first
  return {id, title: name}
}

/**
 * The entry with a name in the trash, or among items that are shared or outside My Drive. In the trash
 * the names may be the end of the old path.
 */
export async function findElsewhere(
  client: Client,
  {names, text}: RemotePath,
  where: 'trash' | 'shared',
  finder: Pick<NameFinder, 'all'>,
  choose: Choose,
): Promise<RemoteEntry> {
  const isTrashToo = where === 'trash'
  const all = await finder.all(names, isTrashToo)
  const isStart = (placed: EntryInFolders) => isTrashToo || isOutside(placed)
  const matches = names.reduce<readonly EntryInFolders[] | undefined>((above, name) => {
    const there = withExactTitle(name, all)
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
  const words = isTrashToo ? 'in the trash' : 'among the items shared with you'
  throw missing(`There is no ${JSON.stringify(names.join('/'))} ${words}`, '', [])
}

function isOutside({parents, record}: EntryInFolders): boolean {
  if (record.driveId !== undefined) return false
  return parents.length === 0 || typeof record.sharedWithMeDate === 'string'
}

function isTrashed({labels}: Page): boolean {
  return (labels as {trashed?: unknown} | undefined)?.trashed === true
}
