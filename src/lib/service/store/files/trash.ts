import {type ChangeContext, recordChange} from '#lib/service/store/changes.js'
import {column} from '#lib/service/store/database/rows.js'
import {inSlices} from '#lib/service/store/database/slices.js'
import type {Store} from '#lib/service/store/index.js'
import type {StoreCall} from '#lib/service/store/store-call.js'
import {type FileRow, saveFile} from './files.js'

/**
 * The item and those below it whose `trashed` is not in line with what was trashed itself, the
 * nearest first: after a move, and after every change of `explicitly_trashed`.
 */
export function wronglyTrashed(store: Store, id: string): string[] {
  // CROSS keeps SQLite from going through all files there are.
  return column(
    store,
    `WITH RECURSIVE below(id, depth, was, trashed) AS (
       SELECT f.id, 0, f.trashed, max(f.explicitly_trashed, coalesce(p.trashed, 0))
       FROM files f LEFT JOIN files p ON p.id = f.parent_id WHERE f.id = :id
       UNION ALL
       SELECT f.id, below.depth + 1, f.trashed, max(f.explicitly_trashed, below.trashed)
       FROM below CROSS JOIN files f ON f.parent_id = below.id
     )
     SELECT id FROM below WHERE was <> trashed ORDER BY depth`,
    {id},
  )
}

/** Turns `trashed` of these items into the opposite. */
export function turnTrashed({run}: Pick<Store, 'run'>, ids: readonly string[]): void {
  run(`UPDATE files SET trashed = 1 - trashed WHERE id IN (SELECT value FROM json_each(:ids))`, {
    ids: JSON.stringify(ids),
  })
}

/**
 * Puts an item into the trash or takes it out (reference: protocols.md, section 11). What lies
 * below a folder follows, but for what was trashed itself. No change, no change record.
 */
export function setTrashed(
  context: ChangeContext & Pick<StoreCall, 'user'>,
  file: FileRow,
  trashed: boolean,
): void {
  if (file.explicitly_trashed === Number(trashed)) return
  const {store, now, user} = context
  saveFile(store, file.id, {
    explicitly_trashed: Number(trashed),
    trashed_at: trashed ? now : null,
    trasher_id: trashed ? user.id : null,
  })
  const state = trashed ? 'trash' : 'untrash'
  const wrong = wronglyTrashed(store, file.id)
  if (wrong[0] === file.id) turnTrashed(store, [wrong.shift()!])
  recordChange(store, now, file.id, state)
  context.inSlices(
    inSlices(wrong, ids => {
      turnTrashed(store, ids)
      for (const id of ids) recordChange(store, now, id, state)
    }),
  )
}
