import type {Call} from '../call.js'
import {forbidden, invalidValue} from '../errors.js'
import {VIEW, type View} from '../store/sharing/audience.js'
import type {Database} from '../store/database/database.js'
import {openDrive} from '../store/drives.js'
import type {Followed} from '../store/messages.js'

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

const SPACES = ['drive', 'appDataFolder', 'photos']

type Follow = Call<'changes.list' | 'changes.watch'>
type Look = Call<'changes.get' | 'changes.getStartPageToken'>

/** The line that `driveId` names, or the caller's own: 404 for a drive that the caller is no member of. */
export function readLine(call: Follow | Look): Pick<Following, 'line' | 'driveId'> {
  const {params, user} = call
  const driveId = params.driveId || params.teamDriveId || undefined
  if (driveId === undefined) return {line: `user:${user.id}`}
  if (!supportsDrives(call)) throw driveSupport('supportsAllDrives')
  return {line: `drive:${openDrive(call, driveId).id}`, driveId}
}

/** What the parameters of changes.list and changes.watch select; 403 for shared drives without their switches. */
export function readFollowing(call: Follow): Following {
  const {params} = call
  const sharedDrives = params.includeItemsFromAllDrives || params.includeTeamDriveItems
  const line = readLine(call)
  if (line.driveId !== undefined && !sharedDrives) throw driveSupport('includeItemsFromAllDrives')
  if (sharedDrives && !supportsDrives(call)) throw driveSupport('supportsAllDrives')
  const spaces = params.spaces ? params.spaces.split(',').map(space => space.trim()) : undefined
  if (!(spaces?.every(space => SPACES.includes(space)) ?? true)) throw invalidValue('spaces')
  return {
    ...line,
    view: viewOf(params.includeSubscribed, sharedDrives),
    removals: params.includeDeleted,
    spaces,
  }
}

/** The view of a line that shows what is outside the caller's My Drive (`subscribed`), and in shared drives. */
export function viewOf(subscribed: boolean, sharedDrives: boolean): View {
  if (!subscribed) return VIEW.ownDrive
  return sharedDrives ? VIEW.everything : VIEW.myDrives
}

function supportsDrives({params}: Follow | Look): boolean {
  return params.supportsAllDrives || params.supportsTeamDrives
}

function driveSupport(parameter: string) {
  const words = `Set ${parameter}=true to follow changes in shared drives.`
  return forbidden('teamDriveSupportRequired', words, {
    locationType: 'parameter',
    location: parameter,
  })
}

/**
 * The changes of a line from `from` on, inclusive, the oldest first; at most `limit`. Of an item's
 * entries the one of the widest view counts that is not wider than the follower's.
 */
export function readChanges(
  store: Pick<Database, 'all'>,
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
