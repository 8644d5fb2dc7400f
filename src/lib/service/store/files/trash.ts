import type {Call} from '../../call.js'
import {recordChange} from '../changes.js'
import {column} from '../database/rows.js'
import {type FileRow, saveFile} from './files.js'
import type {Store} from '../index.js'

/**
 * Brings `trashed` of an item and of all below it in line with what was trashed itself, and returns
 * the IDs for which it changed. Needed after a move and after every change of `explicitly_trashed`.
 */
export function refreshTrashed(store: Store, id: string): string[] {
  return column(
    store,
    `WITH RECURSIVE below(id, trashed) AS (
       SELECT f.id, max(f.explicitly_trashed, coalesce(p.trashed, 0))
       FROM files f LEFT JOIN files p ON p.id = f.parent_id WHERE f.id = :id
       UNION ALL
       SELECT f.id, max(f.explicitly_trashed, below.trashed)
       FROM files f JOIN below ON f.parent_id = below.id
     )
     UPDATE files SET trashed = below.trashed FROM below
     WHERE files.id = below.id AND files.trashed <> below.trashed
     RETURNING files.id AS id`,
    {id},
  )
}

/**
 * Puts an item into the trash or takes it out (reference: protocols.md, section 11). What lies
 * below a folder follows, but for what was trashed itself. No change, no change record.
 */
export function setTrashed(
  {store, now, user}: Pick<Call, 'store' | 'now' | 'user'>,
  file: FileRow,
  trashed: boolean,
): void {
  if (file.explicitly_trashed === Number(trashed)) return
  saveFile(store, file.id, {
    explicitly_trashed: Number(trashed),
    trashed_at: trashed ? now : null,
    trasher_id: trashed ? user.id : null,
  })
  const state = trashed ? 'trash' : 'untrash'
  const below = refreshTrashed(store, file.id).filter(id => id !== file.id)
  recordChange(store, now, file.id, state)
  for (const id of below) recordChange(store, now, id, state)
}
