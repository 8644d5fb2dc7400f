import type {Row} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import type {Client, Page, ParameterTexts} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {groupBy} from '#lib/platform/values.js'
import {entriesBelow} from '#lib/transfer/remote/listing.js'
import {createPaths} from '#lib/transfer/remote/paths.js'
import {type EntryInFolders, searchParameters} from '#lib/transfer/remote/records.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'
import type {Criterion} from './criterion.js'
import {isFolder, type RowFields, rowOf} from './file-rows.js'
import type {OpenFolder} from './places.js'

/** The result of a search. */
export interface FoundFiles {
  readonly rows: readonly Row[]
  /** Number of records that the service returned. */
  readonly read: number
}

/** Where to search: in a folder or list, in all drives, or among files that are in no folder. */
export type SearchScope = 'place' | 'everywhere' | 'orphans'

interface SearchOptions {
  readonly criteria: readonly Criterion[]
  readonly fields: RowFields
  readonly signal: AbortSignal
  readonly reach?: SearchScope
  /** Stop reading after this number of matches. */
  readonly limit?: number
}

/** The conditions of the search query, to be joined with `and`. */
export function termsOf(
  criteria: readonly Criterion[],
  {isTrash, list}: Pick<OpenFolder, 'isTrash' | 'list'>,
): string[] {
  return [
    `trashed = ${isTrash}`,
    ...(list === 'shared' ? [`not 'me' in owners`] : []),
    ...criteria.flatMap(({term}) => term ?? []),
  ]
}

/**
 * Finds the files in a folder or list that meet the criteria. Runs one search over everything and resolves
 * the paths of the matches only. If no criterion has a search term, it lists the folder level by level
 * instead, so that it reads no files outside of it.
 */
export async function findBelow(
  client: Client,
  folder: OpenFolder,
  {criteria, fields, signal, reach = 'place', limit = Infinity}: SearchOptions,
): Promise<FoundFiles> {
  const {id, driveId, isTrash, list} = folder
  const isTop = id === 'root'
  const isWhole = isTop || id === driveId || list !== undefined || reach !== 'place'
  const hasTerms = criteria.some(({term}) => term !== undefined)
  const needed = [...fields.requested, ...criteria.flatMap(({extraFields = []}) => extraFields)]
  const requested = [
    ...new Set([...needed.map(path => recordFields([path])), ...PATH_FIELDS]),
  ].join(',')
  const paths = createPaths(client)
  const found = new Map<string, Page>()
  let read = 0
  /** Adds the records that meet all criteria and are in the folder. */
  const take = async (records: readonly Page[]) => {
    paths.know(records.filter(isFolder))
    read += records.length
    const matching = records.filter(record =>
      criteria.every(({matches = () => true}) => matches(record)),
    )
    const inside = await insideOf(matching)
    for (const [index, record] of matching.entries()) {
      if (!inside || inside[index]) found.set(String(record.id), record)
    }
  }
  const isEnough = () => found.size >= limit
  if (isWhole || hasTerms) {
    const search = {terms: termsOf(criteria, folder), isTrashToo: true, driveId, fields: requested}
    const params = {...searchParameters(search), ...corpusOf(folder, reach)}
    // All pages first: they contain most of the folders that the paths need.
    const all: Page[] = []
    for await (const page of client.pages('files.list', {params})) {
      signal.throwIfAborted()
      all.push(...recordsOf(page))
      if (limit === Infinity) continue
      await take(all.splice(0))
      if (isEnough()) break
    }
    await take(all)
  } else {
    const listing = {driveId, isTrashToo: isTrash, fields: requested, signal}
    const onEntries = async (placed: readonly EntryInFolders[]) => {
      if (limit !== Infinity) await take(placed.map(({record}) => record))
      return isEnough()
    }
    const below = await entriesBelow(client, [id], {...listing, onEntries})
    if (limit === Infinity) await take([...below.values()].flat().map(({record}) => record))
  }
  const records = [...found.values()].slice(0, limit)
  const where = await paths.of(records)
  return {rows: records.map((record, index) => rowOf(record, where[index]!, fields)), read}

  /** Whether each record is in the folder or list; `undefined` if all are. */
  async function insideOf(records: readonly Page[]): Promise<readonly boolean[] | undefined> {
    if (reach !== 'place' || list === 'trash') return undefined
    if (list === 'drives') return records.map(record => record.driveId !== undefined)
    if (list === 'shared') return (await paths.areBelow(records, undefined)).map(isMine => !isMine)
    // A search of a whole shared drive returns no other files.
    if (id === driveId || !(isTop || hasTerms)) return undefined
    return paths.areBelow(records, isTop ? undefined : id)
  }
}

/** The parameters that select where the service searches, other than in one shared drive. */
function corpusOf({id, list}: OpenFolder, reach: SearchScope): ParameterTexts {
  if (reach === 'everywhere' || list === 'drives') return {corpora: 'allDrives'}
  const isOwn = id === 'root' || list === 'shared' || reach === 'orphans'
  return isOwn ? {includeItemsFromAllDrives: 'false'} : {}
}

/** The fields that identify content. */
export const CONTENT_FIELDS = ['md5Checksum']

/** Groups of two or more files with the same content (MD5 and size). */
export function duplicatesAmong(rows: readonly Row[]): Row[][] {
  const withContent = rows.filter(({md5Checksum}) => typeof md5Checksum === 'string')
  const groups = groupBy(withContent, ({md5Checksum, fileSize}) =>
    JSON.stringify([String(md5Checksum).toLowerCase(), String(fileSize)]),
  )
  return [...groups.values()].filter(group => group.length > 1)
}
