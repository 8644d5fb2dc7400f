import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Row} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import type {Client, Page} from '#lib/client/client.js'
import {groupBy, inGroups} from '#lib/platform/values.js'
import {entriesBelow} from '#lib/transfer/remote/listing.js'
import type {EntryInFolders} from '#lib/transfer/remote/records.js'
import {byName, type RowFields, rowOf} from './file-rows.js'
import {type OpenFolder, pathBelow} from './open-folders.js'

/** Something below a folder. */
export interface Node {
  readonly row: Row
  readonly id: string
  readonly isFolder: boolean
  /** What is in it, by name; `undefined` where nobody looked. */
  readonly nodes?: readonly Node[]
  /** A folder that stands further up as well, where what is in it is shown. */
  readonly isAgain: boolean
}

/** Drives that are listed at once. */
const WIDTH = 8

export interface Looking {
  readonly fields: RowFields
  /** How many levels to look into; 1 is what is in the folder itself. */
  readonly depth: number
  readonly signal: AbortSignal
}

/**
 * What is in some folders, and below them as far as `depth` says, in the order of the folders. Folders of
 * one drive are listed together, level by level.
 */
export async function nodesIn(
  client: Client,
  folders: readonly OpenFolder[],
  {fields, depth, signal}: Looking,
): Promise<Array<readonly Node[]>> {
  const groups = groupBy(folders, ({id, driveId, isTrash}) =>
    // The service knows the top of My Drive by another ID than this one.
    JSON.stringify([id === 'root', driveId, isTrash]),
  )
  const asked = `${recordFields(fields.asked)},parents(id,isRoot)`
  const wanted = (names: readonly string[]) => names.length < depth
  const inEach = new Map<string, readonly EntryInFolders[]>()
  for (const some of inGroups([...groups.values()], WIDTH)) {
    const found = await Promise.all(
      some.map(group => {
        const {driveId, isTrash: isTrashToo} = group[0]!
        const options = {wanted, driveId, isTrashToo, fields: asked, signal}
        return entriesBelow(
          client,
          group.map(({id}) => id),
          options,
        )
      }),
    )
    for (const [id, entries] of found.flatMap(one => [...one])) inEach.set(id, entries)
  }
  return folders.map(({id, path}) => branch({id, path, depth}, {inEach, fields, seen: new Set()}))
}

interface Branching {
  readonly inEach: ReadonlyMap<string, readonly EntryInFolders[]>
  readonly fields: RowFields
  /** Folders that were looked into: one below itself, or in two folders, is shown once. */
  readonly seen: Set<string>
}

/** A folder that is looked into, and how many levels of it are wanted: another place may ask for more. */
interface Open {
  readonly id: string
  readonly path: string
  readonly depth: number
}

function branch({id, path, depth}: Open, branching: Branching): readonly Node[] {
  const {inEach, fields, seen} = branching
  seen.add(id)
  const records = (inEach.get(id) ?? []).map(({record}) => record).sort(byName)
  return records.map(record => {
    const below = pathBelow(path, record)
    const node = {row: rowOf(record, below, fields), id: String(record.id)}
    if (!isFolder(record)) return {...node, isFolder: false, isAgain: false}
    const isAgain = seen.has(node.id)
    const isOpen = !isAgain && depth > 1 && inEach.has(node.id)
    return {
      ...node,
      isFolder: true,
      isAgain,
      ...(isOpen && {nodes: branch({id: node.id, path: below, depth: depth - 1}, branching)}),
    }
  })
}

/** All rows of a tree, what is in a folder behind it. */
export function rowsOf(nodes: readonly Node[]): Row[] {
  return nodes.flatMap(({row, nodes: below = []}) => [row, ...rowsOf(below)])
}

export function isFolder({mimeType}: Page): boolean {
  return mimeType === FOLDER_TYPE
}
