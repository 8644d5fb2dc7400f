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

/** What was found. */
export interface Findings {
  readonly rows: readonly Row[]
  /** How many records the service gave for that. */
  readonly read: number
}

/** Which files a search is about: those below a folder or in a list; all in every drive; or those in no folder. */
export type Reach = 'place' | 'everywhere' | 'orphans'

interface Wanted {
  readonly criteria: readonly Criterion[]
  readonly fields: RowFields
  readonly signal: AbortSignal
  readonly reach?: Reach
  /** How many are enough, whichever they are; nothing more is read then. */
  readonly limit?: number
}

/** The conditions that the service is asked. */
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
 * What lies below a folder, or in a list, and meets the criteria. It is one search of all there is, of
 * which only what fits here as well has its folders looked up; where the service cannot be asked for
 * anything, the folder is listed level by level instead, so that nothing beside it is read.
 */
export async function findBelow(
  client: Client,
  folder: OpenFolder,
  {criteria, fields, signal, reach = 'place', limit = Infinity}: Wanted,
): Promise<Findings> {
  const {id, driveId, isTrash, list} = folder
  const isTop = id === 'root'
  const isWhole = isTop || id === driveId || list !== undefined || reach !== 'place'
  const hasTerms = criteria.some(({term}) => term !== undefined)
  const needed = [...fields.asked, ...criteria.flatMap(({asks = []}) => asks)]
  const asked = [...new Set([...needed.map(path => recordFields([path])), ...PATH_FIELDS])].join(
    ',',
  )
  const paths = createPaths(client)
  const found = new Map<string, Page>()
  let read = 0
  /** Takes what is wanted of some records. */
  const take = async (records: readonly Page[]) => {
    paths.know(records.filter(isFolder))
    read += records.length
    const fitting = records.filter(record => criteria.every(({fits = () => true}) => fits(record)))
    const inside = await insideOf(fitting)
    for (const [index, record] of fitting.entries()) {
      if (!inside || inside[index]) found.set(String(record.id), record)
    }
  }
  const isEnough = () => found.size >= limit
  if (isWhole || hasTerms) {
    const search = {terms: termsOf(criteria, folder), isTrashToo: true, driveId, fields: asked}
    const params = {...searchParameters(search), ...corpusOf(folder, reach)}
    // Which folders are on the way is known best once everything was read.
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
    const listing = {driveId, isTrashToo: isTrash, fields: asked, signal}
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

  /** Which of the records lie there; `undefined` where all do. */
  async function insideOf(records: readonly Page[]): Promise<readonly boolean[] | undefined> {
    if (reach !== 'place' || list === 'trash') return undefined
    if (list === 'drives') return records.map(record => record.driveId !== undefined)
    if (list === 'shared') return (await paths.areBelow(records, undefined)).map(isMine => !isMine)
    // A search of a whole shared drive finds nothing else.
    if (id === driveId || !(isTop || hasTerms)) return undefined
    return paths.areBelow(records, isTop ? undefined : id)
  }
}

/** Where the service searches, besides in one shared drive. */
function corpusOf({id, list}: OpenFolder, reach: Reach): ParameterTexts {
  if (reach === 'everywhere' || list === 'drives') return {corpora: 'allDrives'}
  const isOwn = id === 'root' || list === 'shared' || reach === 'orphans'
  return isOwn ? {includeItemsFromAllDrives: 'false'} : {}
}

/** What tells whether content is the same. */
export const CONTENT_FIELDS = ['md5Checksum']

/** Files of the same content, by MD5 and size, those of a group behind each other; none that is alone. */
export function duplicatesAmong(rows: readonly Row[]): Row[][] {
  const withContent = rows.filter(({md5Checksum}) => typeof md5Checksum === 'string')
  const groups = groupBy(withContent, ({md5Checksum, fileSize}) =>
    JSON.stringify([String(md5Checksum).toLowerCase(), String(fileSize)]),
  )
  return [...groups.values()].filter(group => group.length > 1)
}
