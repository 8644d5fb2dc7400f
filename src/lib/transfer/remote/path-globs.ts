import type {Client, Page} from '#lib/client/client.js'
import {allRecords} from '#lib/client/pages.js'
import {groupBy} from '#lib/platform/values.js'
import {titleKey} from '#lib/transfer/local/names.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import {entriesBelow} from './listing.js'
import {ENTRY_FIELDS, entryOf, searchParameters} from './records.js'
import {isPathName, type RemotePath, type ResolvedPath} from './remote-path.js'
import {findRemotePath, pathTo} from './resolve.js'
import {type Choose, noFolder, ResolveError} from './resolve-error.js'
import {hasWildcards, titleMatcher} from './title-globs.js'

/** Expands globs in paths: `/photos/*.jpg`. */

export interface GlobOptions {
  readonly signal: AbortSignal
  readonly choose?: Choose
  /** Fields of the records to request, in addition to those of every entry. */
  readonly fields: readonly string[]
}

/** A match and the path that names it. */
interface Match extends ResolvedPath {
  readonly path: string
  readonly record: Page
}

/** A folder that leads to matches. */
interface Folder {
  readonly id: string
  readonly path: string
}

/**
 * The matches of a path with globs, each with a word that names it; a trailing slash matches only
 * folders. Sends one list for each name from the first glob on. A title that equals the glob takes
 * precedence. Throws `ResolveError` if nothing matches or a folder on the way is missing.
 */
export async function expandPathGlobs(
  client: Client,
  place: RemotePath,
  {signal, choose, fields}: GlobOptions,
): Promise<Array<readonly [word: string, known: ResolvedPath]>> {
  const {start, names, isContents, text} = place
  const first = names.findIndex(hasWildcards)
  const asked = [...new Set([...ENTRY_FIELDS.split(','), 'parents(id,isRoot)', ...fields])].join(
    ',',
  )
  const isTrashToo = start.in === 'trash'
  let found: Match[] = []
  let folders: readonly Folder[] = []
  let driveId: string | undefined
  let left = names.slice(first)
  if (first === 0 && (start.in === 'trash' || start.in === 'shared')) {
    const records = await recordsElsewhere(client, start.in, asked)
    found = await matching(`${start.in}:`, records, left[0]!, undefined)
    left = left.slice(1)
  } else {
    const top = await topOf()
    folders = [top]
    driveId = top.driveId
  }
  for (const [index, pattern] of left.entries()) {
    if (index > 0 || folders.length === 0) folders = foldersAmong(found)
    const ids = folders.map(({id}) => id)
    const search = {wanted: () => false, driveId, isTrashToo, fields: asked, signal}
    const inEach = await entriesBelow(client, ids, search)
    const all = folders.map(({id, path}) => {
      const records = (inEach.get(id) ?? []).map(({record}) => record)
      return matching(path, records, pattern, driveId)
    })
    found = (await Promise.all(all)).flat()
  }
  const meant = isContents ? found.filter(({entry}) => entry.kind === 'folder') : found
  if (meant.length === 0) throw nothingMatches(text, pathTo(place, first))
  return inOrder(meant).map(({path, ...known}) => [isContents ? `${path}/` : path, known] as const)

  async function topOf(): Promise<Folder & {readonly driveId?: string}> {
    const path = pathTo(place, first)
    // The ID of My Drive is known without a request.
    if (first === 0 && start.in === 'myDrive') return {id: 'root', path: ''}
    const base = {start, names: names.slice(0, first), isContents: false, text: path}
    const {entry, driveId} = await findRemotePath(client, base, choose)
    if (entry.kind !== 'folder') throw noFolder(entry, path)
    return {id: entry.id, path, ...(driveId !== undefined && {driveId})}
  }
}

/** Records at the top of the trash, or shared with the user. */
export async function recordsElsewhere(
  client: Client,
  where: 'trash' | 'shared',
  fields: string,
): Promise<Page[]> {
  const isTrash = where === 'trash'
  const term = isTrash ? 'trashed = true' : 'sharedWithMe = true'
  const asked = isTrash ? `${fields},explicitlyTrashed` : fields
  const params = searchParameters({terms: [term], isTrashToo: isTrash, fields: asked})
  const found = await allRecords(client, 'files.list', {params})
  return isTrash ? found.filter(({explicitlyTrashed}) => explicitlyTrashed !== false) : found
}

/** The records of a folder whose title matches; entries with the same title are named by ID. */
async function matching(
  folder: string,
  records: readonly Page[],
  pattern: string,
  driveId: string | undefined,
): Promise<Match[]> {
  const byTitle = groupBy(records, ({title}) => titleKey(String(title)))
  const literal = byTitle.get(titleKey(pattern))
  const fits = literal ? undefined : await titleMatcher(pattern, {ignoreCase: false})
  return (literal ?? records.filter(({title}) => fits!(String(title)))).map((record): Match => {
    const entry = entryOf(record)
    const isNamed = isPathName(entry.title) && byTitle.get(titleKey(entry.title))!.length === 1
    const path = isNamed ? `${folder}/${entry.title}` : `id:${entry.id}`
    return {path, entry, missing: [], record, ...(driveId !== undefined && {driveId})}
  })
}

function foldersAmong(found: readonly Match[]): Folder[] {
  const isFolder = (entry: RemoteEntry) => entry.kind === 'folder'
  return found
    .filter(({entry}) => isFolder(entry))
    .map(({entry: {id}, path}) => ({id, path: path.replace(/^id:/, '')}))
}

/** Sorted by path with natural numbers; each entry once, even if it is in two folders. */
function inOrder(found: readonly Match[]): Match[] {
  const {compare} = new Intl.Collator('en', {numeric: true})
  const each = [...new Map(found.map(match => [match.entry.id, match])).values()]
  return each.sort((one, other) => compare(one.path, other.path))
}

function nothingMatches(text: string, folder: string): ResolveError {
  const line = /^(\/|(drive|trash|shared):)/.test(folder) ? `'${folder}'` : folder
  return new ResolveError(
    'missing',
    `Nothing matches ${text}.`,
    `Run \`drv ls ${line}\` to list the folder; names are case-sensitive.`,
  )
}
