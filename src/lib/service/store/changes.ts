import {type FileRow, inheritingBelow} from './files.js'
import type {Store} from './index.js'
import {type ChangedPart, notifyFollowers, notifyWatchers, type ResourceState} from './messages.js'

export type {ChangedPart, ResourceState}

/**
 * Who has a line in which a change of this item shows: everyone with a way to it as `user:<id>`,
 * and its shared drive as `drive:<id>`. Take it before what ends someone's access, too.
 */
export function audienceOf(
  store: Store,
  fileId: string,
  driveId = placeOf(store, fileId)?.drive_id,
): string[] {
  // CROSS keeps SQLite from going through all permissions there are.
  const users = store.all<{id: number}>(
    `WITH RECURSIVE up(id, parent_id, owner_id, inherits) AS (
       SELECT id, parent_id, owner_id, inherits FROM files WHERE id = :fileId
       UNION ALL
       SELECT f.id, f.parent_id, f.owner_id, f.inherits
       FROM files f JOIN up ON f.id = up.parent_id WHERE up.inherits = 1
     )
     SELECT owner_id AS id FROM up WHERE owner_id IS NOT NULL
     UNION
     SELECT u.id FROM up CROSS JOIN permissions p ON p.file_id = up.id
     JOIN users u ON u.permission_id = p.id`,
    {fileId},
  )
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
  const file = withNextVersion(store, fileId)
  const present = audienceOf(store, fileId, file.drive_id)
  const lost = audience.filter(line => !present.includes(line))
  const entry = fileEntry(store, file)
  addToLines(store, now, present, entry)
  addToLines(store, now, lost, {...entry, removed: true})
  notifyWatchers(store, now, fileId, state, changed, lost)
  const shapesParent = state !== 'update' || changed.includes('parents')
  if (file.parent_id && shapesParent) {
    notifyWatchers(store, now, file.parent_id, 'update', ['children'])
  }
}

/**
 * Runs `work`, which changes who can reach an item, and notes it: for the item as `recordChange`
 * does, and for all that inherits from it as an entry for those who gained it and a removal for
 * those who lost it. Members of a shared drive learn of the drive, not of each item in it.
 */
export function recordAccessChange(
  store: Store,
  now: number,
  fileId: string,
  changed: readonly ChangedPart[],
  work: () => void,
): void {
  const before = audienceOf(store, fileId)
  work()
  recordChange(store, now, fileId, 'update', changed, before)
  const after = audienceOf(store, fileId)
  const gained = after.filter(line => !before.includes(line))
  const lost = before.filter(line => !after.includes(line))
  const isDrive = placeOf(store, fileId)!.drive_id === fileId
  for (const id of inheritingBelow(store, fileId)) {
    const file = withNextVersion(store, id)
    if (isDrive || gained.length + lost.length === 0) continue
    const present = audienceOf(store, id, file.drive_id)
    const gone = lost.filter(line => !present.includes(line))
    const entry = fileEntry(store, file)
    addToLines(store, now, gained, entry)
    addToLines(store, now, gone, {...entry, removed: true})
    notifyWatchers(store, now, id, 'update', ['permissions'], gone)
  }
}

/** Notes that an item is gone for these lines for good. Call it before the row goes. */
export function recordRemoval(
  store: Store,
  now: number,
  file: FileRow,
  audience: readonly string[],
): void {
  addToLines(store, now, audience, {...fileEntry(store, file), removed: true})
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
    topId: driveId,
    clientId: null,
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
  /** The top folder above the item: tells later what was in a My Drive. */
  readonly topId: string
  /** The app that made the item: tells later whose tokens may know of it. */
  readonly clientId: string | null
  readonly removed: boolean
}

/** What a line says of an item, and where it is. */
type Placed = Pick<FileRow, 'id' | 'drive_id' | 'space' | 'client_id' | 'parent_id'>

const PLACED = 'id, drive_id, space, client_id, parent_id'

/** Gives a file its next version; gives where it is. */
function withNextVersion(store: Store, id: string): Placed {
  return store.get<Placed>(
    `UPDATE files SET version = version + 1 WHERE id = :id RETURNING ${PLACED}`,
    {id},
  )!
}

function placeOf(store: Store, id: string): Placed | undefined {
  return store.get<Placed>(`SELECT ${PLACED} FROM files WHERE id = :id`, {id})
}

function fileEntry(store: Store, file: Placed): Entry {
  const top = store.get<{id: string}>(
    `WITH RECURSIVE up(id, parent_id) AS (
       SELECT id, parent_id FROM files WHERE id = :id
       UNION ALL SELECT f.id, f.parent_id FROM files f JOIN up ON f.id = up.parent_id
     ) SELECT id FROM up WHERE parent_id IS NULL`,
    {id: file.id},
  )
  return {
    type: 'file',
    itemId: file.id,
    driveId: file.drive_id,
    space: file.space,
    topId: top?.id ?? file.id,
    clientId: file.client_id,
    removed: false,
  }
}

function addToLines(store: Store, now: number, audience: readonly string[], entry: Entry): void {
  for (const line of audience) {
    store.run(
      `INSERT OR REPLACE INTO changes (audience, type, item_id, drive_id, space, top_id, client_id, removed, changed_at)
       VALUES (:line, :type, :itemId, :driveId, :space, :topId, :clientId, :removed, :now)`,
      {
        line,
        type: entry.type,
        itemId: entry.itemId,
        driveId: entry.driveId,
        space: entry.space,
        topId: entry.topId,
        clientId: entry.clientId,
        removed: Number(entry.removed),
        now,
      },
    )
    notifyFollowers(store, now, line, entry)
  }
}
