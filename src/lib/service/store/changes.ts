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
  type Audience,
  audienceOf,
  entriesOf,
  type Entry,
  lostLines,
  onlyLines,
  VIEW,
} from './sharing/audience.js'
import type {StoreCall} from './store-call.js'

/** What a change of an item and of all below it needs. */
export type ChangeContext = Pick<StoreCall, 'store' | 'now' | 'inSlices'>

/** Gives an item its next version and tells all who can see or watch it; inside a transaction, after the change. `before`: who saw it where. */
export function recordChange(
  store: Store,
  now: number,
  fileId: string,
  state: ResourceState,
  changed: readonly ChangedPart[] = [],
  before?: Audience,
): void {
  const file = withNextVersion(store, fileId)
  const after = audienceOf(store, fileId)
  addToLines(store, now, file, entriesOf(before ?? after, after))
  notifyWatchers(store, now, fileId, state, changed, before && lostLines(before, after))
  const shapesParent = state !== 'update' || changed.includes('parents')
  if (file.parent_id && shapesParent) {
    notifyWatchers(store, now, file.parent_id, 'update', ['children'])
  }
}

/** Runs `work`, which changes who can reach an item, and notes it for the item and all that inherits from it. */
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
  const recordBelow = (id: string): void => {
    const file = withNextVersion(store, id)
    if (isDrive || gained.length + lost.length === 0) return
    const present = audienceOf(store, id)
    // What is below an item is where the item is, so that the same views showed it.
    const gone = lost.filter(line => !present.lines.has(line))
    const entries = entriesOf(onlyLines(before, gone), onlyLines(present, gained))
    addToLines(store, now, file, entries)
    notifyWatchers(store, now, id, 'update', ['permissions'], gone)
  }
  context.inSlices(inSlices(inheritingBelow(store, fileId), ids => ids.forEach(recordBelow)))
}

/** Notes that an item is gone for good for these lines. Call it before the row goes. */
export function recordRemoval(
  store: Store,
  now: number,
  file: Pick<FileRow, 'id' | 'space' | 'client_id' | 'parent_id'>,
  audience: Audience,
): void {
  const entries = entriesOf(audience, onlyLines(audience, []))
  addToLines(store, now, {...file, type: 'file'}, entries)
  notifyWatchers(store, now, file.id, 'remove', [])
  if (file.parent_id) notifyWatchers(store, now, file.parent_id, 'update', ['children'])
}

/** Notes that a shared drive itself changed, or is gone (`removed`) for these lines. */
export function recordDriveChange(
  store: Store,
  now: number,
  driveId: string,
  lines: Iterable<string>,
  removed = false,
): void {
  const item: Item = {type: 'drive', id: driveId, space: 'drive', client_id: null}
  const {everything} = VIEW
  const place = {from: everything, to: everything, arrives: false, driveId, topId: driveId}
  const entries = [...lines].map(line => ({line, removed, ...place}))
  addToLines(store, now, item, entries)
}

/** What a line is told of. */
interface Item extends Pick<FileRow, 'id' | 'space' | 'client_id'> {
  readonly type: 'file' | 'drive'
}

/** Gives a file its next version; gives what its entries are made of. */
function withNextVersion(store: Store, id: string): Item & Pick<FileRow, 'parent_id'> {
  return store.get(
    `UPDATE files SET version = version + 1 WHERE id = :id
     RETURNING 'file' AS type, id, space, client_id, parent_id`,
    {id},
  )!
}

/** Puts entries into their lines and tells who follows them. An entry of a narrower view still holds and stays. */
function addToLines(store: Store, now: number, item: Item, entries: readonly Entry[]): void {
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
    notifyFollowers(store, now, entry, space)
  }
}

/** Whose changes, and which of them (reference: operations.md, changes.list). */
export interface Following extends Followed {
  /** `user:<id>` or `drive:<id>`. */
  readonly line: string
  /** The shared drive, where it is one's line. */
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

/** The highest change ID that was ever given; 0 before the first change. */
export function largestChangeId(store: Store): number {
  return findRow<{seq: number}>(store, 'sqlite_sequence', {name: 'changes'})?.seq ?? 0
}

export function findChange(store: Store, line: string, id: string): ChangeRow | undefined {
  return findRow(store, 'changes', {audience: line, id})
}

/** The changes of a line from `from` on, the oldest first; of an item's entries the widest that the follower's view shows. */
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
