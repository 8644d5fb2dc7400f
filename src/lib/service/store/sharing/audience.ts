import type {Store} from '#lib/service/store/index.js'

/** The views of a line, from narrow to wide: own My Drive, also that of others, also shared drives (reference: operations.md, changes.list). */
export const VIEW = {ownDrive: 1, myDrives: 2, everything: 3} as const

export type View = (typeof VIEW)[keyof typeof VIEW]

/** The lines that show the changes of an item, and its location. */
export interface ItemAudience {
  /** The narrowest view that shows the item, by line: `user:<id>` or `drive:<id>`. */
  readonly lines: ReadonlyMap<string, View>
  readonly driveId: string | null
  /** The root folder above the item. */
  readonly topId: string
}

/** The current audience of an item. Call it before a move or a change of access as well, to record both audiences. */
export function audienceOf(store: Store, fileId: string): ItemAudience {
  // CROSS keeps SQLite from scanning all permissions.
  const rows = store.all<{
    top_id: string
    drive_id: string | null
    user_id: number | null
    is_own: number | null
  }>(
    `WITH RECURSIVE up(id, parent_id, drive_id, owner_id, inherits, opens) AS (
       SELECT id, parent_id, drive_id, owner_id, inherits, 1 FROM files WHERE id = :fileId
       UNION ALL
       SELECT f.id, f.parent_id, f.drive_id, f.owner_id, f.inherits, up.opens AND up.inherits
       FROM files f JOIN up ON f.id = up.parent_id
     ), reached(id) AS (
       SELECT owner_id FROM up WHERE opens AND owner_id IS NOT NULL
       UNION
       SELECT u.id FROM up CROSS JOIN permissions p ON p.file_id = up.id
       JOIN users u ON u.permission_id = p.id WHERE up.opens
     )
     SELECT top.id AS top_id, top.drive_id, u.id AS user_id, u.root_id = top.id AS is_own
     FROM up top LEFT JOIN reached LEFT JOIN users u ON u.id = reached.id
     WHERE top.parent_id IS NULL`,
    {fileId},
  )
  const {top_id: topId, drive_id: driveId} = rows[0]!
  const lines = new Map<string, View>()
  for (const {user_id, is_own} of rows) {
    if (user_id === null) continue
    const view = driveId !== null ? VIEW.everything : is_own ? VIEW.ownDrive : VIEW.myDrives
    lines.set(`user:${user_id}`, view)
  }
  if (driveId !== null) lines.set(`drive:${driveId}`, VIEW.everything)
  return {lines, driveId, topId}
}

/**
 * The current audiences of several items, by ID. Items that get all access from their folder share its
 * audience, so that a folder with all its contents costs few queries. Fastest for folders before the
 * items in them.
 */
export function audiencesOf(
  store: Store,
  ids: readonly string[],
): ReadonlyMap<string, ItemAudience> {
  const items = store.all<{id: string; parent_id: string | null; same: number}>(
    `SELECT f.id, f.parent_id, f.inherits = 1 AND f.owner_id IS folder.owner_id
       AND NOT EXISTS (SELECT 1 FROM permissions p WHERE p.file_id = f.id) AS same
     FROM json_each(:ids) CROSS JOIN files f ON f.id = value
     LEFT JOIN files folder ON folder.id = f.parent_id`,
    {ids: JSON.stringify(ids)},
  )
  const known = new Map<string, ItemAudience>()
  const find = (id: string): ItemAudience => {
    const audience = known.get(id) ?? audienceOf(store, id)
    known.set(id, audience)
    return audience
  }
  return new Map(
    items.map(({id, parent_id: folderId, same}) => {
      const audience = find(folderId !== null && same ? folderId : id)
      known.set(id, audience)
      return [id, audience]
    }),
  )
}

/** An entry about an item in a line, for followers with the views `from` to `to`. */
export interface ChangeEntry {
  readonly line: string
  readonly from: View
  readonly to: View
  readonly removed: boolean
  /** Whether some of these views did not show the item before. */
  readonly arrives: boolean
  /** The current drive and root folder of the item; for a removal, the former ones. */
  readonly driveId: string | null
  readonly topId: string
}

/** The entries for an item whose audience changes: changed for views that show it, removed for views that no longer do. */
export function entriesOf(before: ItemAudience, after: ItemAudience): ChangeEntry[] {
  return [...new Set([...before.lines.keys(), ...after.lines.keys()])].flatMap(line => {
    const was = before.lines.get(line) ?? NO_VIEW
    const is = after.lines.get(line) ?? NO_VIEW
    const gone = {from: was as View, to: (is - 1) as View, removed: true, arrives: false}
    const here = {from: is as View, to: VIEW.everything, removed: false, arrives: is < was}
    return [
      ...(was < is ? [{line, ...gone, driveId: before.driveId, topId: before.topId}] : []),
      ...(is < NO_VIEW ? [{line, ...here, driveId: after.driveId, topId: after.topId}] : []),
    ]
  })
}

/** Wider than any view: no follower of the line sees the item. */
const NO_VIEW = VIEW.everything + 1

/** Whether two audiences have the same lines with the same views. */
export function sameLines(one: ItemAudience, other: ItemAudience): boolean {
  return (
    one.lines.size === other.lines.size &&
    [...one.lines].every(([line, view]) => other.lines.get(line) === view)
  )
}

/** The lines in `before` that are not in `after`. */
export function lostLines(before: ItemAudience, after: ItemAudience): string[] {
  return [...before.lines.keys()].filter(line => !after.lines.has(line))
}

/** The audience with only the lines in `keep`. */
export function onlyLines(audience: ItemAudience, keep: readonly string[]): ItemAudience {
  return {...audience, lines: new Map([...audience.lines].filter(([line]) => keep.includes(line)))}
}
