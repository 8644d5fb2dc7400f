import type {Store} from '#lib/service/store/index.js'

/** What a follower of changes sees, each view with all of the one before: own My Drive, everybody's, shared drives (reference: operations.md, changes.list). */
export const VIEW = {ownDrive: 1, myDrives: 2, everything: 3} as const

export type View = (typeof VIEW)[keyof typeof VIEW]

/** Who has a line in which a change of an item shows, and where the item is. */
export interface Audience {
  /** The narrowest view that shows the item, by line: `user:<id>` or `drive:<id>`. */
  readonly lines: ReadonlyMap<string, View>
  readonly driveId: string | null
  /** The top folder above the item. */
  readonly topId: string
}

/** The audience of an item. Take it before what ends someone's access, too, and before a move. */
export function audienceOf(store: Store, fileId: string): Audience {
  // CROSS keeps SQLite from going through all permissions there are.
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

/** What a line says of an item from now on to those who follow it by the views `from` to `to`. */
export interface Entry {
  readonly line: string
  readonly from: View
  readonly to: View
  readonly removed: boolean
  /** Whether these views, or some of them, did not show the item before. */
  readonly arrives: boolean
  /** Where the item is; of a removal, where it was. */
  readonly driveId: string | null
  readonly topId: string
}

/** What the lines say of an item whose audience changes: that it changed, or is gone from views that showed it. */
export function entriesOf(before: Audience, after: Audience): Entry[] {
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

/** Wider than any view: an item that no follower of the line sees. */
const NO_VIEW = VIEW.everything + 1

/** Whether two audiences see an item in the same lines and by the same views. */
export function sameLines(one: Audience, other: Audience): boolean {
  return (
    one.lines.size === other.lines.size &&
    [...one.lines].every(([line, view]) => other.lines.get(line) === view)
  )
}

/** The lines that see an item before and no longer. */
export function lostLines(before: Audience, after: Audience): string[] {
  return [...before.lines.keys()].filter(line => !after.lines.has(line))
}

/** The audience without those lines that `keep` does not name. */
export function onlyLines(audience: Audience, keep: readonly string[]): Audience {
  return {...audience, lines: new Map([...audience.lines].filter(([line]) => keep.includes(line)))}
}
