import {
  type ChangedPart,
  type Followed,
  notifyFollowers,
  notifyWatchers,
  type ResourceState,
} from './channels.js'
import {findRow, insertRow} from './database/rows.js'
import {inSlices} from './database/slices.js'
import {type FileRow, inheritingBelow} from './files/files.js'
import type {Store} from './index.js'
import {
  audienceOf,
  audiencesOf,
  type ChangeEntry,
  entriesOf,
  type ItemAudience,
  lostLines,
  onlyLines,
  VIEW,
} from './sharing/audience.js'
import type {StoreCall} from './store-call.js'

/** The context of changes to an item and everything below it. */
export type ChangeContext = Pick<StoreCall, 'store' | 'now' | 'inSlices'>

/**
 * Increments the version of an item, adds the change to the lines of everyone who can see it, and
 * enqueues messages for its watchers. Call it inside a transaction, after the change. `before` is the
 * audience before the change, if the change affects it; `after` the current one, if it is known.
 */
export function recordChange(
  store: Store,
  now: number,
  fileId: string,
  state: ResourceState,
  changed: readonly ChangedPart[] = [],
  before?: ItemAudience,
  after: ItemAudience = audienceOf(store, fileId),
): void {
  const file = withNextVersion(store, fileId)
  addToLines(store, now, file, entriesOf(before ?? after, after))
  notifyWatchers(store, now, fileId, state, changed, before && lostLines(before, after))
  const shapesParent = state !== 'update' || changed.includes('parents')
  if (file.parent_id && shapesParent) {
    notifyWatchers(store, now, file.parent_id, 'update', ['children'])
  }
}

/** Records a change of several items that does not affect their audiences. */
export function recordChanges(
  store: Store,
  now: number,
  ids: readonly string[],
  state: ResourceState,
): void {
  for (const [id, audience] of audiencesOf(store, ids)) {
    recordChange(store, now, id, state, [], undefined, audience)
  }
}

/** Runs `work`, which changes access to an item, and records the change for the item and everything that inherits from it. */
export function recordAccessChange(
  context: ChangeContext,
  fileId: string,
  changed: readonly ChangedPart[],
  work: () => void,
): void {
  const {store, now} = context
  const before = audienceOf(store, fileId)
  work()
  recordChange(store, now, fileId, 'update', changed, before)
  const after = audienceOf(store, fileId)
  const gained = lostLines(after, before)
  const lost = lostLines(before, after)
  const isDrive = after.driveId === fileId
  const linesChange = !isDrive && gained.length + lost.length > 0
  const recordBelow = (id: string, current: ItemAudience): void => {
    const file = withNextVersion(store, id)
    // Items below have the same location, so the same views showed them.
    const gone = lost.filter(line => !current.lines.has(line))
    const entries = entriesOf(onlyLines(before, gone), onlyLines(current, gained))
    addToLines(store, now, file, entries)
    notifyWatchers(store, now, id, 'update', ['permissions'], gone)
  }
  context.inSlices(
    inSlices(inheritingBelow(store, fileId), ids => {
      if (linesChange) {
        for (const [id, current] of audiencesOf(store, ids)) recordBelow(id, current)
      } else {
        for (const id of ids) withNextVersion(store, id)
      }
    }),
  )
}

/** Records the permanent deletion of an item for the lines of its audience. Call it before deleting the row. */
export function recordRemoval(
  store: Store,
  now: number,
  file: Pick<FileRow, 'id' | 'space' | 'client_id' | 'parent_id'>,
  audience: ItemAudience,
): void {
  const entries = entriesOf(audience, onlyLines(audience, []))
  addToLines(store, now, {...file, type: 'file'}, entries)
  notifyWatchers(store, now, file.id, 'remove', [])
  if (file.parent_id) notifyWatchers(store, now, file.parent_id, 'update', ['children'])
}

/** Records a change of a shared drive, or its removal, for these lines. */
export function recordDriveChange(
  store: Store,
  now: number,
  driveId: string,
  lines: Iterable<string>,
  removed = false,
): void {
  const item: Item = {type: 'drive', id: driveId, space: 'drive', client_id: null}
  const {everything} = VIEW
  const location = {from: everything, to: everything, arrives: false, driveId, topId: driveId}
  const entries = [...lines].map(line => ({line, removed, ...location}))
  addToLines(store, now, item, entries)
}

/** The item of a change. */
interface Item extends Pick<FileRow, 'id' | 'space' | 'client_id'> {
  readonly type: 'file' | 'drive'
}

/** Increments the version of a file and returns the columns for its entries. */
function withNextVersion(store: Store, id: string): Item & Pick<FileRow, 'parent_id'> {
  return store.get(
    `UPDATE files SET version = version + 1 WHERE id = :id
     RETURNING 'file' AS type, id, space, client_id, parent_id`,
    {id},
  )!
}

/** Adds entries to their lines and notifies followers. Entries of narrower views remain valid and are kept. */
function addToLines(store: Store, now: number, item: Item, entries: readonly ChangeEntry[]): void {
  const {type, id, space, client_id} = item
  for (const entry of entries) {
    const key = {audience: entry.line, type, item_id: id, seen_from: entry.from}
    if (entry.arrives) {
      store.run(
        `DELETE FROM changes WHERE audience = :audience AND type = :type AND item_id = :item_id
         AND seen_from > :seen_from`,
        key,
      )
    }
    const row = {
      ...key,
      drive_id: entry.driveId,
      space,
      top_id: entry.topId,
      client_id,
      removed: entry.removed,
      changed_at: now,
    }
    insertRow(store, 'changes', row, {replace: true})
  }
  notifyFollowers(store, now, entries, space)
}

/** The line to read and a filter for its changes (reference: operations.md, changes.list). */
export interface Following extends Followed {
  /** `user:<id>` or `drive:<id>`. */
  readonly line: string
  /** The ID of the shared drive, if it is the line of one. */
  readonly driveId?: string
}

/** A change as stored. Columns: `layout.ts`. */
export interface ChangeRow {
  readonly id: number
  readonly type: 'file' | 'drive'
  readonly item_id: string
  readonly drive_id: string | null
  readonly space: 'drive' | 'appDataFolder'
  readonly top_id: string
  readonly client_id: string | null
  readonly removed: number
  readonly changed_at: number
}

/** The highest change ID so far; 0 before the first change. */
export function largestChangeId(store: Store): number {
  return findRow<{seq: number}>(store, 'sqlite_sequence', {name: 'changes'})?.seq ?? 0
}

export function findChange(store: Store, line: string, id: string): ChangeRow | undefined {
  return findRow(store, 'changes', {audience: line, id})
}

/** The newest change of an item in each of these lines, the newest first. */
export function changesOfFile(
  store: Pick<Store, 'all'>,
  lines: readonly string[],
  fileId: string,
): ReadonlyArray<Pick<ChangeRow, 'id' | 'changed_at'> & {readonly audience: string}> {
  return store.all(
    `SELECT max(id) AS id, audience, changed_at FROM changes
     WHERE audience IN (SELECT value FROM json_each(:lines)) AND type = 'file' AND item_id = :fileId
     GROUP BY audience ORDER BY id DESC`,
    {lines: JSON.stringify(lines), fileId},
  )
}

/** The first `limit` changes of a line from ID `from` on, oldest first. Of several entries for an item, only the one of the widest view that the follower sees. */
export function readChanges(
  store: Pick<Store, 'all'>,
  following: Following,
  from: number,
  limit: number,
): ChangeRow[] {
  return store.all<ChangeRow>(
    `SELECT * FROM changes c
     WHERE audience = :line AND id >= :from AND seen_from <= :view
       AND (:removals = 1 OR removed = 0)
       AND (:spaces IS NULL OR space IN (SELECT value FROM json_each(:spaces)))
       AND NOT EXISTS (
         SELECT 1 FROM changes n
         WHERE n.audience = c.audience AND n.type = c.type AND n.item_id = c.item_id
           AND n.seen_from > c.seen_from AND n.seen_from <= :view)
     ORDER BY id LIMIT :limit`,
    {
      line: following.line,
      from,
      view: following.view,
      removals: Number(following.removals),
      spaces: following.spaces ? JSON.stringify(following.spaces) : null,
      limit,
    },
  )
}
