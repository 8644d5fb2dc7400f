import {nonEmptyText} from '#lib/api/validate.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Row} from '#lib/cli/output/format.js'
import {isNumber} from '#lib/cli/output/people.js'
import {count, sizeText} from '#lib/cli/terminal/units.js'
import type {Page} from '#lib/client/client.js'
import type {Node, SeenFolders} from './list-places.js'

/** Totals that count each item once. */
interface Sum {
  readonly folders: number
  readonly files: number
  /** Bytes of content; editor documents have none. */
  readonly size: number
}

/** The columns of `drv du`. */
export const USAGE_COLUMNS = ['size', 'path', 'files', 'id', 'mimeType']

/**
 * The rows of `drv du` for a place: one for each item down to `depth` levels, the contents of a folder before
 * the folder, the place itself last. An item in several folders is counted and listed in the first of them.
 */
export function diskUsageRows(seen: Exclude<SeenFolders, {kind: 'error'}>, depth: number): Row[] {
  if (seen.kind === 'file') {
    const {row} = seen
    const node = {row, id: String(row.id), isFolder: false, isAgain: false}
    return measured([node], 1, new Set()).rows
  }
  const {rows, sum} = measured(seen.nodes(), depth, new Set([seen.id]))
  return [...rows, usageRow(sum, {path: seen.head, id: seen.id, mimeType: FOLDER_TYPE})]
}

/** `2 folders, 3 files, 5.2 KiB` */
export function sumText(nodes: readonly Node[]): string {
  const {folders, files, size} = measured(nodes, 0, new Set()).sum
  return `${count(folders, 'folder')}, ${count(files, 'file')}, ${sizeText(size)}`
}

/** The rows and totals of nodes; `seen` has the IDs of items that were counted already. */
function measured(
  nodes: readonly Node[],
  depth: number,
  seen: Set<string>,
): {readonly rows: Row[]; readonly sum: Sum} {
  const rows: Row[] = []
  let [folders, files, size] = [0, 0, 0]
  for (const {id, isFolder, row, nodes: below = []} of nodes) {
    if (seen.has(id)) continue
    seen.add(id)
    const inside = measured(below, depth - 1, seen)
    const own = isNumber(row.fileSize) ? Number(row.fileSize) : 0
    const sum = {
      folders: inside.sum.folders + Number(isFolder),
      files: inside.sum.files + Number(!isFolder),
      size: inside.sum.size + own,
    }
    folders += sum.folders
    files += sum.files
    size += sum.size
    if (depth > 0) rows.push(...inside.rows, usageRow(sum, row))
  }
  return {rows, sum: {folders, files, size}}
}

function usageRow({size, files}: Sum, {path, id, mimeType}: Row): Row {
  return {size, path, files, id, mimeType}
}

/** The columns of `drv df`. */
export const STORAGE_COLUMNS = ['total', 'used', 'available', 'percent', 'trash', 'name']

/** Total, used and available storage in bytes, from the response of `about.get`. Pure. */
export function storageOf({
  name,
  quotaType,
  quotaBytesTotal,
  quotaBytesUsed,
  quotaBytesUsedAggregate = quotaBytesUsed,
  quotaBytesUsedInTrash,
}: Page): Row {
  const [total, used, trash] = [
    quotaBytesTotal,
    quotaBytesUsedAggregate,
    quotaBytesUsedInTrash,
  ].map(bytes => (isNumber(bytes) ? Number(bytes) : undefined))
  const isLimited = quotaType !== 'UNLIMITED' && total !== undefined
  const room = isLimited && used !== undefined ? total - used : undefined
  return {
    total: isLimited ? total : undefined,
    used,
    available: room === undefined ? undefined : Math.max(0, room),
    percent: room === undefined || !total ? undefined : Math.ceil((100 * used!) / total),
    trash,
    name: nonEmptyText(name) ?? '',
  }
}
