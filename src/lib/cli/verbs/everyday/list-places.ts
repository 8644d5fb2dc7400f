import type {Context} from '#lib/cli/context/context.js'
import type {Row} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import type {Client, Page} from '#lib/client/client.js'
import {groupBy, inGroups} from '#lib/platform/values.js'
import {gatherCalls, isOfOneCall} from '#lib/transfer/remote/gather.js'
import {entriesBelow} from '#lib/transfer/remote/listing.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
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
  | {
      readonly kind: 'nodes'
      readonly head: string
      readonly id: string
      readonly nodes: readonly Node[]
    }
  | {readonly kind: 'file'; readonly row: Row}
  | {readonly kind: 'error'; readonly error: unknown}

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

/** Lists places, in their order. Throws as `openPlaces` does. */
export async function listPlaces(
  context: Context,
  places: readonly RemoteTarget[],
  listing: ListResult,
): Promise<SeenFolders[]> {
  const found = await openPlaces(context, places, {follows: listing.follows})
  const opened = listing.depth === 0 ? found.map(asFile) : found
  const client = await context.client()
  const reads = gatherCalls(client)
  const folders = opened.flatMap(one => (one.kind === 'folder' ? [one.folder] : []))
  const [trees, files] = await Promise.all([
    nodesIn(client, folders, {...listing, signal: context.signal}),
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
    const nodes = trees[folders.indexOf(one.folder)]!
    return {kind: 'nodes', head: of === 'top' ? '/' : text, id: one.folder.id, nodes}
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

type ListOptions = ListResult & {readonly signal: AbortSignal}

/**
 * The contents of folders and lists, down to `depth` levels, in the order of `folders`. Folders of the same
 * drive are listed together, level by level, to save requests.
 */
export async function nodesIn(
  client: Client,
  folders: readonly OpenFolder[],
  options: ListOptions,
): Promise<Array<readonly Node[]>> {
  const {fields, depth, compare = byName} = options
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
  const inEach = await recordsBelow(client, tops, options)
  return folders.map(({id, path}, index) => {
    const records = lists[index]
    const branching = {inEach, fields, compare, seen: new Set<string>()}
    if (!records) return branch({id, path, depth}, branching)
    return records.sort(compare).map(record => nodeOf(record, {path, depth}, branching))
  })
}

/** Number of groups that are listed concurrently. */
const CONCURRENT_GROUPS = 8

/** The records in each folder, by the ID of the folder. */
async function recordsBelow(
  client: Client,
  tops: readonly Top[],
  {fields, signal}: ListOptions,
): Promise<ReadonlyMap<string, readonly Page[]>> {
  const groups = groupBy(
    tops.filter(({depth}) => depth > 0),
    ({id, driveId, isTrash, depth}) =>
      // `root` is an alias: records name the root of My Drive by another ID.
      JSON.stringify([id === 'root', driveId, isTrash, depth]),
  )
  const requested = `${recordFields(fields.requested)},parents(id,isRoot)`
  const inEach = new Map<string, readonly Page[]>()
  for (const some of inGroups([...groups.values()], CONCURRENT_GROUPS)) {
    const found = await Promise.all(
      some.map(group => {
        const {driveId, isTrash: isTrashToo, depth} = group[0]!
        const wanted = (names: readonly string[]) => names.length < depth
        const ids = group.map(({id}) => id)
        return entriesBelow(client, ids, {wanted, driveId, isTrashToo, fields: requested, signal})
      }),
    )
    for (const [id, entries] of found.flatMap(one => [...one])) {
      inEach.set(
        id,
        entries.map(({record}) => record),
      )
    }
  }
  return inEach
}

interface Branching {
  readonly inEach: ReadonlyMap<string, readonly Page[]>
  readonly fields: RowFields
  readonly compare: (one: Row, other: Row) => number
  /** Folders already listed: a folder inside itself, or in two folders, is shown once. */
  readonly seen: Set<string>
}

/** A folder whose contents become nodes. */
interface Open {
  readonly path: string
  readonly depth: number
}

function branch(folder: Open & {readonly id: string}, branching: Branching): readonly Node[] {
  const {inEach, compare, seen} = branching
  seen.add(folder.id)
  const records = [...(inEach.get(folder.id) ?? [])].sort(compare)
  return records.map(record => nodeOf(record, folder, branching))
}

function nodeOf(record: Page, {path, depth}: Open, branching: Branching): Node {
  const id = String(record.id)
  const below = {id, path: recordPath(path, record), depth: depth - 1}
  const node = {row: rowOf(record, below.path, branching.fields), id}
  if (!isFolder(record)) return {...node, isFolder: false, isAgain: false}
  const isAgain = branching.seen.has(id)
  const isOpen = !isAgain && depth > 1 && branching.inEach.has(id)
  return {...node, isFolder: true, isAgain, ...(isOpen && {nodes: branch(below, branching)})}
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

/** Splits a listing as `ls` prints it: named files first, then each folder with its contents. */
export function sectionsOf(seen: readonly SeenFolders[]): {
  readonly files: readonly Row[]
  readonly sections: readonly Section[]
} {
  return {
    files: seen.flatMap(one => (one.kind === 'file' ? [one.row] : [])),
    sections: seen.flatMap(one => (one.kind === 'nodes' ? sectionsBelow(one.head, one.nodes) : [])),
  }
}

function sectionsBelow(head: string, nodes: readonly Node[]): Section[] {
  const below = nodes.flatMap(({row, nodes: inner}) =>
    inner ? sectionsBelow(String(row.path), inner) : [],
  )
  return [{head, rows: nodes.map(({row}) => row)}, ...below]
}
