import type {Context} from '#lib/cli/context/context.js'
import type {Row} from '#lib/cli/output/format.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import type {Client, Page} from '#lib/client/client.js'
import {gather, isOfOneCall} from '#lib/transfer/remote/gather.js'
import {ALL_DRIVES} from '#lib/transfer/remote/records.js'
import {byName, type RowFields, rowOf} from './file-rows.js'
import {type OpenFolder, openPlaces, pathBelow, recordsIn} from './open-folders.js'
import {isInTrash, pathOfFolder, type Place} from './remote-path.js'
import {isFolder, type Node, nodesIn} from './tree.js'

/** What is at a place: what a folder or list holds, a file itself, or why it leads nowhere. */
export type Seen =
  | {
      readonly kind: 'nodes'
      readonly head: string
      readonly id: string
      readonly nodes: readonly Node[]
    }
  | {readonly kind: 'file'; readonly row: Row}
  | {readonly kind: 'error'; readonly error: unknown}

interface Listing {
  readonly fields: RowFields
  /** How many levels: 1 is what is in the folders that are named. */
  readonly depth: number
}

/** What is at places, as `openPlaces` follows them, in their order; those of one drive together. */
export async function listPlaces(
  context: Context,
  places: readonly Place[],
  {fields, depth}: Listing,
): Promise<Seen[]> {
  const {signal} = context
  const opened = await openPlaces(context, places)
  const client = await context.client()
  const reads = gather(client)
  const look = (folders: readonly OpenFolder[], levels: number) =>
    nodesIn(client, folders, {fields, depth: levels, signal})
  const folders = opened.flatMap(one => (one.kind === 'folder' ? [one.folder] : []))
  const trees = look(folders, depth)
  // Whoever waits for it hears of it.
  trees.catch(() => undefined)
  return Promise.all(
    opened.map(async (one, index): Promise<Seen> => {
      const place = places[index]!
      const head = place.of === 'top' ? '/' : place.text
      switch (one.kind) {
        case 'error':
          return one
        case 'file':
          return rowOfFile(reads, one, {fields, isAlone: places.length === 1})
        case 'list':
          return {kind: 'nodes', head, id: '', nodes: await listOf(one.of, place)}
        case 'folder': {
          const nodes = (await trees)[folders.indexOf(one.folder)]!
          return {kind: 'nodes', head, id: one.folder.id, nodes}
        }
      }
    }),
  )

  /** A list that is no folder, and what lies below the folders in it. */
  async function listOf(of: 'drives' | 'trash' | 'shared', place: Place): Promise<Node[]> {
    const records = (await recordsIn(client, of, fields.asked)).sort(byName)
    const top = pathOfFolder(place, '')
    const nodes = records.map((record): Node => {
      const row = rowOf(record, pathBelow(top, record), fields)
      return {row, id: String(record.id), isFolder: isFolder(record), isAgain: false}
    })
    const open = nodes.filter(node => node.isFolder && depth > 1)
    const isTrash = isInTrash(place)
    const inside = await look(
      open.map(({id, row}) => {
        return {id, path: String(row.path), isTrash, ...(of === 'drives' && {driveId: id})}
      }),
      depth - 1,
    )
    const below = new Map(open.map(({id}, index) => [id, inside[index]!]))
    return nodes.map(node => ({...node, nodes: below.get(node.id)}))
  }
}

/** The row of a file that was named. */
async function rowOfFile(
  client: Client,
  {id, path}: {readonly id: string; readonly path: string},
  {fields, isAlone}: {readonly fields: RowFields; readonly isAlone: boolean},
): Promise<Seen> {
  const params = {fileId: id, fields: recordFields(fields.asked), ...ALL_DRIVES}
  try {
    const record: Page = (await client.call('files.get', {params})) ?? {}
    return {kind: 'file', row: rowOf(record, path, fields)}
  } catch (error) {
    if (isAlone || !isOfOneCall(error)) throw error
    return {kind: 'error', error}
  }
}

/** What is in one folder, below its name. */
export interface Section {
  readonly head: string
  readonly rows: readonly Row[]
}

/** Files that were named, and then each folder with what is in it: as `ls` lists them. */
export function sectionsOf(seen: readonly Seen[]): {
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
