import type {Context} from '#lib/cli/context/context.js'
import type {Row} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import type {Client, Page} from '#lib/client/client.js'
import {createSpill, type SpillPlace} from '#lib/platform/spill.js'
import {groupBy, inGroups} from '#lib/platform/values.js'
import {gatherCalls, isOfOneCall} from '#lib/transfer/remote/gather.js'
import {readBelow} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES, type EntryInFolders} from '#lib/transfer/remote/records.js'
import {byName, isFolder, type RowFields, rowOf} from './file-rows.js'
import {
  type FollowShortcuts,
  type OpenedTarget,
  type OpenFolder,
  openPlaces,
  recordPath,
  recordsIn,
  type RemoteTarget,
} from './places.js'

/** The result of listing a place: the contents of a folder or list, a file, or an error. */
export type SeenFolders =
  | ({readonly kind: 'nodes'; readonly head: string; readonly id: string} & Contents)
  | {readonly kind: 'file'; readonly row: Row}
  | {readonly kind: 'error'; readonly error: unknown}

/** The contents of a folder or list. */
interface Contents {
  /** Everything in it, as a tree. */
  nodes(): readonly Node[]
  /** Itself, then each folder in it, as they are read: there may be any number. `head` is its own heading. */
  sections(head: string): Iterable<Section>
}

/** An item in a listed folder. */
export interface Node {
  readonly row: Row
  readonly id: string
  readonly isFolder: boolean
  /** The contents, sorted; `undefined` if they were not listed. */
  readonly nodes?: readonly Node[]
  /** The folder also appears earlier, with its contents. */
  readonly isAgain: boolean
}

/** What to list. */
export interface ListResult {
  readonly fields: RowFields
  /** Number of levels: 0 lists the named folders themselves, 1 their contents. */
  readonly depth: number
  readonly follows?: FollowShortcuts
  /** The order of entries in a folder (default: by name). */
  readonly compare?: (one: Row, other: Row) => number
}

/** The records in listed folders; any number of them. */
export interface ListedRecords {
  set(folderId: string, entries: readonly EntryInFolders[]): void
  /** Whether a folder was listed. */
  has(folderId: string): boolean
  /** The records in a listed folder. */
  of(folderId: string): readonly Page[] | undefined
  /** Releases them. */
  close(): void
}

export function createListedRecords(): ListedRecords {
  const spill = createSpill<Page>()
  const places = new Map<string, SpillPlace<Page>>()
  return {
    set(folderId, entries) {
      places.set(folderId, spill.add(entries.map(({record}) => record)))
    },
    has: folderId => places.has(folderId),
    of(folderId) {
      const place = places.get(folderId)
      return place && spill.at(place)
    },
    close: spill.close,
  }
}

/** Lists places, in their order, into `listed`. Throws as `openPlaces` does. */
export async function listPlaces(
  context: Context,
  places: readonly RemoteTarget[],
  listing: ListResult,
  listed: ListedRecords,
): Promise<SeenFolders[]> {
  const found = await openPlaces(context, places, {follows: listing.follows})
  const opened = listing.depth === 0 ? found.map(asFile) : found
  const client = await context.client()
  const reads = gatherCalls(client)
  const folders = opened.flatMap(one => (one.kind === 'folder' ? [one.folder] : []))
  const [trees, files] = await Promise.all([
    contentsOf(client, folders, {...listing, listed, signal: context.signal}),
    Promise.all(
      opened.map(async one => {
        const isAlone = places.length === 1
        return one.kind === 'file' ? seenFile(reads, one, listing.fields, isAlone) : undefined
      }),
    ),
  ])
  return opened.map((one, index): SeenFolders => {
    if (one.kind !== 'folder') return files[index] ?? (one as Extract<SeenFolders, {kind: 'error'}>)
    const {of, text} = places[index]!
    const contents = trees[folders.indexOf(one.folder)]!
    return {kind: 'nodes', head: of === 'top' ? '/' : text, id: one.folder.id, ...contents}
  })
}

/** A folder as a single entry; a list stays a list. */
function asFile(one: OpenedTarget): OpenedTarget {
  if (one.kind !== 'folder' || one.folder.list !== undefined) return one
  const {id, path, record} = one.folder
  return {kind: 'file', id, path: path === '' ? '/' : path, record}
}

/** The row of a file, from its record if known, else requested. */
async function seenFile(
  client: Client,
  {id, path, record: known}: Extract<OpenedTarget, {kind: 'file'}>,
  fields: RowFields,
  isAlone: boolean,
): Promise<SeenFolders> {
  if (known) return {kind: 'file', row: rowOf(known, path, fields)}
  const params = {fileId: id, fields: recordFields(fields.requested), ...ALL_DRIVES}
  try {
    const record: Page = (await client.call('files.get', {params})) ?? {}
    return {kind: 'file', row: rowOf(record, path, fields)}
  } catch (error) {
    if (isAlone || !isOfOneCall(error)) throw error
    return {kind: 'error', error}
  }
}

/** A folder to list, with its own number of levels, because folders in a list begin one level down. */
interface Top extends Pick<OpenFolder, 'id' | 'driveId' | 'isTrash'> {
  readonly depth: number
}

type ListOptions = ListResult & {readonly listed: ListedRecords; readonly signal: AbortSignal}

/**
 * The contents of folders and lists, down to `depth` levels, in the order of `folders`. Folders of the same
 * drive are listed together, level by level, to save requests.
 */
export async function contentsOf(
  client: Client,
  folders: readonly OpenFolder[],
  options: ListOptions,
): Promise<Contents[]> {
  const {listed, fields, depth, compare = byName} = options
  const lists = await Promise.all(
    folders.map(async ({list}) => list && recordsIn(client, list, fields.requested)),
  )
  const tops = folders.flatMap((folder, index): Top[] => {
    const records = lists[index]
    if (!records) return [{...folder, depth}]
    // The folders in a list have no common parent, so each one is a start of its own.
    return records.filter(isFolder).map(record => {
      const id = String(record.id)
      const driveId = folder.list === 'drives' ? id : undefined
      return {id, driveId, isTrash: folder.isTrash, depth: depth - 1}
    })
  })
  await listAllBelow(client, tops, options)
  return folders.map(({id, path}, index): Contents => {
    const folder = {id, path, depth, records: lists[index]}
    const branching = () => ({listed, fields, compare, seen: new Set<string>()})
    return {
      nodes: () => branch(folder, branching()),
      sections: head => sectionsBelow(head, folder, branching()),
    }
  })
}

/** Number of groups that are listed concurrently. */
const CONCURRENT_GROUPS = 8

/** Lists the folders and everything below them. */
async function listAllBelow(
  client: Client,
  tops: readonly Top[],
  {fields, listed, signal}: ListOptions,
): Promise<void> {
  const groups = groupBy(
    tops.filter(({depth}) => depth > 0),
    ({id, driveId, isTrash, depth}) =>
      // `root` is an alias: records name the root of My Drive by another ID.
      JSON.stringify([id === 'root', driveId, isTrash, depth]),
  )
  const requested = `${recordFields(fields.requested)},parents(id,isRoot)`
  for (const some of inGroups([...groups.values()], CONCURRENT_GROUPS)) {
    await Promise.all(
      some.map(group => {
        const {driveId, isTrash: isTrashToo, depth} = group[0]!
        const wanted = (names: readonly string[]) => names.length < depth
        const ids = group.map(({id}) => id)
        const search = {driveId, isTrashToo, fields: requested}
        return readBelow(client, ids, {...search, wanted, signal, onFolder: listed.set})
      }),
    )
  }
}

interface Branching {
  readonly listed: ListedRecords
  readonly fields: RowFields
  readonly compare: (one: Row, other: Row) => number
  /** Folders already listed: a folder inside itself, or in two folders, is shown once. */
  readonly seen: Set<string>
}

/** A folder or list whose contents become nodes. */
interface Branch {
  readonly id: string
  readonly path: string
  readonly depth: number
  /** The records in a list that is not a folder. */
  readonly records?: readonly Page[]
}

function branch(folder: Branch, branching: Branching): readonly Node[] {
  return sortedIn(folder, branching).map((record): Node => {
    const node = {id: String(record.id), row: rowIn(folder, record, branching)}
    if (!isFolder(record)) return {...node, isFolder: false, isAgain: false}
    const isAgain = branching.seen.has(node.id)
    const below = belowIn(folder, record, branching)
    return {...node, isFolder: true, isAgain, ...(below && {nodes: branch(below, branching)})}
  })
}

function* sectionsBelow(head: string, folder: Branch, branching: Branching): Generator<Section> {
  const records = sortedIn(folder, branching)
  yield {head, rows: records.map(record => rowIn(folder, record, branching))}
  for (const record of records.filter(isFolder)) {
    const below = belowIn(folder, record, branching)
    if (below) yield* sectionsBelow(below.path, below, branching)
  }
}

/** The records in a folder, in order. */
function sortedIn({id, records}: Branch, {listed, compare, seen}: Branching): Page[] {
  if (!records) seen.add(id)
  return [...(records ?? listed.of(id) ?? [])].sort(compare)
}

function rowIn({path}: Branch, record: Page, {fields}: Branching): Row {
  return rowOf(record, recordPath(path, record), fields)
}

/** A folder in another one; `undefined` if its contents were not listed, or are shown already. */
function belowIn(
  {path, depth}: Branch,
  record: Page,
  {listed, seen}: Branching,
): Branch | undefined {
  const id = String(record.id)
  if (depth <= 1 || seen.has(id) || !listed.has(id)) return undefined
  return {id, path: recordPath(path, record), depth: depth - 1}
}

/** All rows of a tree, the contents of each folder after it. */
export function rowsOf(nodes: readonly Node[]): Row[] {
  return nodes.flatMap(({row, nodes: below = []}) => [row, ...rowsOf(below)])
}

/** The contents of one folder, with its path as heading. */
export interface Section {
  readonly head: string
  readonly rows: readonly Row[]
}

/** The named files of a listing, which `ls` prints before the folders. */
export function namedFiles(seen: readonly SeenFolders[]): Row[] {
  return seen.flatMap(one => (one.kind === 'file' ? [one.row] : []))
}

/** The sections of all named folders. */
export function* sectionsOf(seen: readonly SeenFolders[]): Generator<Section> {
  for (const one of seen) if (one.kind === 'nodes') yield* one.sections(one.head)
}
