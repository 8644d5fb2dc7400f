import type {Followed} from './channels.js'
import {findRow} from './database/rows.js'
import type {Store} from './index.js'

/** Whose changes, and which of them (reference: operations.md, changes.list). */
export interface Following extends Followed {
  /** `user:<id>` or `drive:<id>`. */
  readonly line: string
  /** The shared drive, where it is one's line. */
  readonly driveId?: string
}

/** A change as stored. Columns: `schema.ts`. */
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

/**
 * The changes of a line from `from` on, inclusive, the oldest first; at most `limit`. Of an item's
 * entries the one of the widest view counts that is not wider than the follower's.
 */
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
