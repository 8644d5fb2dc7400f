import {type FileRow, fileById} from './files.js'
import type {Store} from './index.js'

/** What happened to an item, in the words of a message's `X-Goog-Resource-State` (reference: protocols.md, section 8). */
export type ResourceState = 'add' | 'remove' | 'update' | 'trash' | 'untrash'

/** The parts an update touched, in the words of `X-Goog-Changed`. */
export type ChangedPart = 'content' | 'properties' | 'parents' | 'children' | 'permissions'

/**
 * Who has a line in which a change of this item shows: everyone with a way to it as `user:<id>`,
 * and its shared drive as `drive:<id>`. Take it before what ends someone's access, too.
 */
export function audienceOf(store: Store, fileId: string): string[] {
  const users = store.all<{id: number}>(
    `WITH RECURSIVE up(id, parent_id, owner_id, inherits) AS (
       SELECT id, parent_id, owner_id, inherits FROM files WHERE id = :fileId
       UNION ALL
       SELECT f.id, f.parent_id, f.owner_id, f.inherits
       FROM files f JOIN up ON f.id = up.parent_id WHERE up.inherits = 1
     )
     SELECT owner_id AS id FROM up WHERE owner_id IS NOT NULL
     UNION
     SELECT u.id FROM up JOIN permissions p ON p.file_id = up.id JOIN users u ON u.permission_id = p.id`,
    {fileId},
  )
  const driveId = fileById(store, fileId)?.drive_id
  return [...users.map(({id}) => `user:${id}`), ...(driveId ? [`drive:${driveId}`] : [])]
}

/**
 * Notes that an item changed: its `version` grows, the change shows in the line of everyone who can
 * see it, and the channels that watch it, its folder's or those lines get their messages. Inside a
 * transaction, after the item has its new state. `audience` adds lines that saw the item before.
 */
export function recordChange(
  store: Store,
  now: number,
  fileId: string,
  state: ResourceState,
  changed: readonly ChangedPart[] = [],
  audience: readonly string[] = [],
): void {
  store.run('UPDATE files SET version = version + 1 WHERE id = :fileId', {fileId})
  const file = fileById(store, fileId)!
  const present = audienceOf(store, fileId)
  const lost = audience.filter(line => !present.includes(line))
  addToLines(store, now, present, {type: 'file', itemId: fileId, removed: false, ...placeOf(file)})
  addToLines(store, now, lost, {type: 'file', itemId: fileId, removed: true, ...placeOf(file)})
  notifyWatchers(store, now, fileId, state, changed)
  const parentParts: readonly ChangedPart[] = ['children']
  const shapesParent = state !== 'update' || changed.includes('parents')
  if (file.parent_id && shapesParent) {
    notifyWatchers(store, now, file.parent_id, 'update', parentParts)
  }
}

/** Notes that an item is gone for these lines for good. Call it before the row goes. */
export function recordRemoval(
  store: Store,
  now: number,
  file: FileRow,
  audience: readonly string[],
): void {
  addToLines(store, now, audience, {
    type: 'file',
    itemId: file.id,
    removed: true,
    ...placeOf(file),
  })
  notifyWatchers(store, now, file.id, 'remove', [])
  if (file.parent_id) notifyWatchers(store, now, file.parent_id, 'update', ['children'])
}

/** Notes that a shared drive itself changed, or is gone (`removed`) for these lines. */
export function recordDriveChange(
  store: Store,
  now: number,
  driveId: string,
  audience: readonly string[],
  removed = false,
): void {
  addToLines(store, now, audience, {
    type: 'drive',
    itemId: driveId,
    driveId,
    space: 'drive',
    removed,
  })
}

/** The highest change ID that was ever given; 0 before the first change. */
export function largestChangeId(store: Store): number {
  const row = store.get<{seq: number}>("SELECT seq FROM sqlite_sequence WHERE name = 'changes'")
  return row?.seq ?? 0
}

interface Entry {
  readonly type: 'file' | 'drive'
  readonly itemId: string
  readonly driveId: string | null
  readonly space: string
  readonly removed: boolean
}

function placeOf(file: FileRow) {
  return {driveId: file.drive_id, space: file.space}
}

function addToLines(store: Store, now: number, audience: readonly string[], entry: Entry): void {
  for (const line of audience) {
    const key = {line, type: entry.type, itemId: entry.itemId}
    store.run(
      'DELETE FROM changes WHERE audience = :line AND type = :type AND item_id = :itemId',
      key,
    )
    store.run(
      `INSERT INTO changes (audience, type, item_id, drive_id, space, removed, changed_at)
       VALUES (:line, :type, :itemId, :driveId, :space, :removed, :now)`,
      {...key, driveId: entry.driveId, space: entry.space, removed: Number(entry.removed), now},
    )
    enqueue(store, now, 'audience = :watched', line, 'change', [])
  }
}

function notifyWatchers(
  store: Store,
  now: number,
  fileId: string,
  state: ResourceState,
  changed: readonly ChangedPart[],
): void {
  enqueue(store, now, 'file_id = :watched', fileId, state, changed)
}

function enqueue(
  store: Store,
  now: number,
  condition: string,
  watched: string,
  state: string,
  changed: readonly ChangedPart[],
): void {
  const channels = store.all<{key: number}>(
    `SELECT key FROM channels WHERE ${condition} AND expires_at > :now`,
    {watched, now},
  )
  for (const {key} of channels) enqueueMessage(store, now, key, state, changed)
}

/** Puts a message in the queue of a channel, with the channel's next number. */
export function enqueueMessage(
  store: Store,
  now: number,
  channelKey: number,
  state: string,
  changed: readonly ChangedPart[] = [],
): void {
  store.run('UPDATE channels SET last_number = last_number + 1 WHERE key = :channelKey', {
    channelKey,
  })
  store.run(
    `INSERT INTO messages (channel_key, number, state, changed, due_at)
     SELECT key, last_number, :state, :changed, :now FROM channels WHERE key = :channelKey`,
    {channelKey, state, changed: changed.length > 0 ? changed.join(',') : null, now},
  )
}
