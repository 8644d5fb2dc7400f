import {gatheredClient, isOfOneCall} from '../../transfer/remote/gatheredclient.js'
import {ALL_DRIVES} from '../../transfer/remote/records.js'
import type {Client} from '../../client/client.js'
import type {Context} from '../command/context.js'
import {recordFields} from '../command/listfields.js'
import type {Row} from '../output/format.js'
import {type OpenFolder, openPlaces, pathBelow, recordsIn} from './look.js'
import {isInTrash, pathOfFolder, type Place} from './place.js'
import {byName, rowOf, type RowFields} from './rows.js'
import {isFolder, type Node, nodesIn, rowsOf} from './tree.js'

/** What was found at some places. */
export interface Listed {
  /** What was named and is no folder. */
  readonly files: readonly Row[]
  /** What is in each folder, below its path. */
  readonly sections: ReadonlyArray<{readonly head: string; readonly rows: readonly Row[]}>
  /** Words that lead nowhere, and why. */
  readonly failed: ReadonlyArray<{readonly word: string; readonly error: unknown}>
}

interface Listing {
  readonly fields: RowFields
  /** How many levels: 1 is what is in the folders that are named. */
  readonly depth: number
}

/** Lists places, as `openPlaces` follows them; those of one drive together. */
export async function listPlaces(
  context: Context,
  places: readonly Place[],
  {fields, depth}: Listing,
): Promise<Listed> {
  const {signal} = context
  const opened = await openPlaces(context, places)
  const client = await context.client()
  const look = (folders: readonly OpenFolder[], levels: number) =>
    nodesIn(client, folders, {fields, depth: levels, signal})
  const folders = opened.flatMap(one => (one.kind === 'folder' ? [one.folder] : []))
  const named = opened.flatMap(one => (one.kind === 'file' ? [one] : []))
  const [inFolders, inLists, found] = await Promise.all([
    look(folders, depth),
    Promise.all(
      opened.map(async (one, index) =>
        one.kind === 'list' ? listOf(one.of, places[index]!) : undefined,
      ),
    ),
    recordsOfFiles(client, named, {fields, isAlone: places.length === 1}),
  ])
  const trees = inFolders[Symbol.iterator]()
  const sections = opened.flatMap(({kind}, index) => {
    if (kind !== 'folder' && kind !== 'list') return []
    const nodes = kind === 'list' ? inLists[index]! : trees.next().value!
    return sectionsOf(headOf(places[index]!), nodes, depth)
  })
  return {
    files: found.flatMap(one => ('row' in one ? [one.row] : [])),
    sections,
    failed: [
      ...opened.flatMap((one, index) =>
        one.kind === 'error' ? [{word: places[index]!.text, error: one.error}] : [],
      ),
      ...found.flatMap(one => ('error' in one ? [one] : [])),
    ],
  }

  /** A list that is no folder, and what lies below the folders in it. */
  async function listOf(of: 'drives' | 'trash' | 'shared', place: Place): Promise<Node[]> {
    const records = (await recordsIn(client, of, fields.asked)).sort(byName)
    const top = pathOfFolder(place, '')
    const all = records.map((record): Node => {
      const row = rowOf(record, pathBelow(top, record), fields)
      return {row, id: String(record.id), isFolder: isFolder(record), isAgain: false}
    })
    const open = all.filter(node => node.isFolder && depth > 1)
    const inside = await look(
      open.map(({id, row}) => ({
        id,
        path: String(row.path),
        isTrash: isInTrash(place),
        ...(of === 'drives' && {driveId: id}),
      })),
      depth - 1,
    )
    const below = new Map(open.map(({id}, index) => [id, inside[index]!]))
    return all.map(node => ({...node, nodes: below.get(node.id)}))
  }
}

function headOf(place: Place): string {
  return place.of === 'top' ? '/' : place.text
}

/** One section for programs, and one for each folder for people: both read them in this order. */
function sectionsOf(head: string, nodes: readonly Node[], depth: number): Listed['sections'] {
  if (depth === 1) return [{head, rows: rowsOf(nodes)}]
  const below = nodes.flatMap(({row, nodes: inner}) =>
    inner ? sectionsOf(String(row.path), inner, depth) : [],
  )
  return [{head, rows: nodes.map(({row}) => row)}, ...below]
}

/** The rows of files that were named, all with one request. */
async function recordsOfFiles(
  client: Client,
  files: ReadonlyArray<{readonly id: string; readonly path: string}>,
  {fields, isAlone}: {readonly fields: RowFields; readonly isAlone: boolean},
): Promise<Array<{readonly row: Row} | {readonly word: string; readonly error: unknown}>> {
  const together = gatheredClient(client)
  return Promise.all(
    files.map(async ({id, path}) => {
      const params = {fileId: id, fields: recordFields(fields.asked), ...ALL_DRIVES}
      try {
        return {row: rowOf((await together.call('files.get', {params})) ?? {}, path, fields)}
      } catch (error) {
        if (isAlone || !isOfOneCall(error)) throw error
        return {word: path, error}
      }
    }),
  )
}
