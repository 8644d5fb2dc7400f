import type {Client} from '#lib/client/client.js'
import {entriesInFolders, type EntryInFolders, searchParameters} from './records.js'
import {named, searchEntries} from './search.js'

/** Finds what has a name in a folder. */
export type Look = (folderId: string, name: string) => Promise<readonly EntryInFolders[]>

/** How names are looked for. */
export interface Looking {
  /** Prepares to look for some names, in My Drive and beside it or in a shared drive. */
  prepare(names: readonly string[], driveId: string | undefined): Promise<Look>
  /** All that has any of some names, wherever it is. */
  all(names: readonly string[], isTrashToo: boolean): Promise<readonly EntryInFolders[]>
}

/** Looks for the names of one place: for all at once, and one by one where that does not tell enough. */
export function lookAlone(client: Client): Looking {
  return {
    async prepare(names, driveId) {
      const isOne = names.length > 0 && fitsOneSearch(names)
      const known = isOne ? await searchAtOnce(client, names, driveId) : undefined
      return async (folderId, name) =>
        placedIn(folderId, known && named(name, known)) ??
        named(name, await searchEntries(client, {folderIds: [folderId], titles: [name], driveId}))
    },
    all: (titles, isTrashToo) => searchEntries(client, {titles, isTrashToo}),
  }
}

/**
 * So many characters of titles fit into one query, as they are written in an address; some services
 * cut addresses off at 8,000, and take no more than some terms.
 */
const TITLES = 1500
/** The most titles, and the most folders, that one query names. */
const TERMS = 50

/** Whether one query can name so many titles and folders. */
export function fitsOneSearch(titles: Iterable<string>, folderIds: Iterable<string> = []): boolean {
  const all = [...titles]
  const written = String(new URLSearchParams({q: all.join('')}))
  return all.length <= TERMS && [...folderIds].length <= TERMS && written.length <= TITLES
}

/** All that has any of some titles, wherever it is; `undefined` where that does not come with one answer. */
export async function searchAtOnce(
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
 * What of all that has a title is in a folder; `undefined` where nobody can tell, for what lies
 * outside My Drive may be in no folder that the service tells.
 */
export function placedIn(
  folderId: string,
  found: readonly EntryInFolders[] | undefined,
): readonly EntryInFolders[] | undefined {
  const isPlaced = found?.length === 0 || found?.some(({parents}) => parents.length > 0)
  return isPlaced ? found?.filter(({parents}) => parents.includes(folderId)) : undefined
}
