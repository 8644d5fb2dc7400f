import type {Client} from '#lib/client/client.js'
import {groupBy} from '#lib/platform/groups.js'
import {titleKey} from '#lib/transfer/local/names.js'
import {gather} from './gather.js'
import {fitsOneSearch, type Looking, placedIn, searchAtOnce} from './looking.js'
import type {EntryInFolders} from './records.js'
import {searchEntries} from './search.js'

/** A name that is looked for, in a folder or wherever it is. */
interface Wanted {
  readonly name: string
  readonly driveId?: string
  readonly folderId?: string
  readonly isTrashToo?: boolean
}

/** What was found, by `titleKey`. */
type ByTitle = ReadonlyMap<string, readonly EntryInFolders[]>

/**
 * Looks for the names of many places side by side: many names with one search, wherever they are, and
 * those of which too much came in the folders that the places have led to by then, many folders with
 * one search. `client` sends what is asked for side by side together.
 */
export function lookTogether(client: Client): Looking {
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
    // A service that does not tell what is in which folder has to be asked for each.
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
      // Two of the names may be one title.
      return [...new Set(found.flat())]
    },
  }
}

/** Answers for one name; `find` does so for as many as one search can name, all in one place. */
function gatherNames<Answer>(
  find: (wanted: readonly [Wanted, ...Wanted[]]) => Promise<(one: Wanted) => Answer>,
) {
  return gather<Wanted, Answer>({
    keyOf: one => JSON.stringify(one),
    // Behind all that can go on by itself, and before any request is sent.
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

/** The names of each search, in their order. */
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
