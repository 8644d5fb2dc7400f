import type {Row} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import type {Client, Page} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import {groupBy} from '#lib/platform/values.js'
import {entriesBelow} from '#lib/transfer/remote/listing.js'
import {createPaths} from '#lib/transfer/remote/paths.js'
import {searchParameters} from '#lib/transfer/remote/records.js'
import {PATH_FIELDS} from '#lib/transfer/remote/remote-path.js'
import type {Criterion} from './criteria.js'
import {byPath, isFolder, type RowFields, rowOf} from './file-rows.js'
import type {OpenFolder} from './places.js'

/** What was found. */
export interface Findings {
  /** By path. */
  readonly rows: readonly Row[]
  /** How many records the service gave for that. */
  readonly read: number
}

interface Wanted {
  readonly criteria: readonly Criterion[]
  readonly fields: RowFields
  readonly signal: AbortSignal
}

/** The conditions that the service is asked. */
export function termsOf(criteria: readonly Criterion[], isTrash: boolean): string[] {
  return [`trashed = ${isTrash}`, ...criteria.flatMap(({term}) => term ?? [])]
}

/**
 * What lies below a folder and fits. It is one search of all there is, of which only what fits here as
 * well has its folders looked up; where nothing can be asked of the service, the folder is listed level
 * by level instead, so that nothing beside it is read.
 */
export async function findBelow(
  client: Client,
  folder: OpenFolder,
  {criteria, fields, signal}: Wanted,
): Promise<Findings> {
  const {id, driveId, isTrash} = folder
  const isTop = id === 'root'
  const isWhole = isTop || id === driveId
  const hasTerms = criteria.some(({term}) => term !== undefined)
  const asked = [...new Set([recordFields(fields.asked), ...PATH_FIELDS])].join(',')
  const paths = createPaths(client)
  const records = new Map<string, Page>()
  let read = 0
  const take = (record: Page) => {
    read += 1
    if (criteria.every(({fits = () => true}) => fits(record)))
      records.set(String(record.id), record)
  }
  if (isWhole || hasTerms) {
    const search = {terms: termsOf(criteria, isTrash), isTrashToo: true, driveId, fields: asked}
    const params = {...searchParameters(search), ...(isTop && {includeItemsFromAllDrives: 'false'})}
    for await (const page of client.pages('files.list', {params})) {
      signal.throwIfAborted()
      const found = recordsOf(page)
      paths.know(found.filter(isFolder))
      for (const record of found) take(record)
    }
  } else {
    const below = await entriesBelow(client, [id], {
      driveId,
      isTrashToo: isTrash,
      fields: asked,
      signal,
    })
    const found = [...below.values()].flat().map(({record}) => record)
    paths.know(found.filter(isFolder))
    for (const record of found) take(record)
  }
  const all = [...records.values()]
  // A search of a whole shared drive finds nothing else.
  const isSure = id === driveId || !(isTop || hasTerms)
  const inside = isSure ? undefined : await paths.areBelow(all, isTop ? undefined : id)
  const found = inside ? all.filter((_, index) => inside[index]) : all
  const where = await paths.of(found)
  return {
    rows: found.map((record, index) => rowOf(record, where[index]!, fields)).sort(byPath),
    read,
  }
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
