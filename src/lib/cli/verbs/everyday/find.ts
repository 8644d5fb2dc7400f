import {setImmediate} from 'node:timers/promises'
import type {Row} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import type {Client, Page, ParameterTexts} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {createSpill, type Spill, SPILL_MEMORY, type SpillPlace} from '#lib/platform/spill.js'
import {groupBy, inPieces} from '#lib/platform/values.js'
import {readBelow} from '#lib/transfer/remote/listing.js'
import {createPaths} from '#lib/transfer/remote/paths.js'
import {type EntryInFolders, searchParameters} from '#lib/transfer/remote/records.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'
import type {Criterion} from './criterion.js'
import {isFolder, type RowFields, rowOf} from './file-rows.js'
import type {OpenFolder} from './places.js'

/** Where to search: in a folder or list, in all drives, or among files that are in no folder. */
export type SearchScope = 'place' | 'everywhere' | 'orphans'

interface SearchOptions {
  readonly criteria: readonly Criterion[]
  readonly fields: RowFields
  readonly signal: AbortSignal
  readonly reach?: SearchScope
  /** Stop reading after this number of matches. */
  readonly limit?: number
  /** Called with each match; several times if the service lists it several times. */
  readonly onRow: (row: Row) => void
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
 * instead, so that it reads no files outside of it. Returns the number of records that the service returned.
 */
export async function findBelow(
  client: Client,
  folder: OpenFolder,
  {criteria, fields, signal, reach = 'place', limit = Infinity, onRow}: SearchOptions,
): Promise<number> {
  const {id, driveId, isTrash, list} = folder
  const isTop = id === 'root'
  const isWhole = isTop || id === driveId || list !== undefined || reach !== 'place'
  const hasTerms = criteria.some(({term}) => term !== undefined)
  const needed = [...fields.requested, ...criteria.flatMap(({extraFields = []}) => extraFields)]
  const requested = [
    ...new Set([...needed.map(path => recordFields([path])), ...PATH_FIELDS]),
  ].join(',')
  const paths = createPaths(client)
  /** The first `limit` matches, by ID. Their paths are found at the end, because lists can arrive side by side. */
  const first = new Map<unknown, Page>()
  const isEnough = () => first.size >= limit
  /** Hands over records with their paths. */
  const handOver = async (records: readonly Page[]) => {
    const where = await paths.of(records)
    for (const [index, record] of records.entries()) onRow(rowOf(record, where[index]!, fields))
  }
  /** The records that meet all criteria and are in the folder. */
  const matchesIn = async (records: readonly Page[]) => {
    const matching = records.filter(record =>
      criteria.every(({matches = () => true}) => matches(record)),
    )
    const inside = await insideOf(matching)
    return inside ? matching.filter((_, index) => inside[index]) : matching
  }
  let read = 0
  const pages = createSpill<Page>()
  const places: Array<SpillPlace<Page>> = []
  /** Without a limit, records wait for all pages, which have most of the folders that their paths need. */
  const receive = async (records: readonly Page[]) => {
    signal.throwIfAborted()
    read += records.length
    paths.know(records.filter(isFolder))
    if (limit === Infinity) places.push(pages.add(records))
    else for (const record of await matchesIn(records)) first.set(record.id, record)
    return isEnough()
  }
  try {
    if (isWhole || hasTerms) {
      const search = {
        terms: termsOf(criteria, folder),
        isTrashToo: true,
        driveId,
        fields: requested,
      }
      const params = {...searchParameters(search), ...corpusOf(folder, reach)}
      for await (const page of client.pages('files.list', {params})) {
        if (await receive(recordsOf(page))) break
      }
    } else {
      const listing = {driveId, isTrashToo: isTrash, fields: requested, signal}
      const onEntries = (placed: readonly EntryInFolders[]) =>
        receive(placed.map(({record}) => record))
      await readBelow(client, [id], {...listing, onEntries})
    }
    // Many at a time, because each time may take requests for unknown folders.
    for (const records of inPieces(recordsAt(places, pages), SPILL_MEMORY)) {
      await handOver(await matchesIn(records))
      // Lets timers run: one of them limits garbage.
      await setImmediate()
    }
    await handOver([...first.values()].slice(0, limit))
  } finally {
    pages.close()
  }
  return read

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

function* recordsAt(places: ReadonlyArray<SpillPlace<Page>>, pages: Spill<Page>): Generator<Page> {
  for (const place of places) yield* pages.at(place)
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
