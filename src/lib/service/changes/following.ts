import type {Call} from '../call.js'
import {forbidden, invalidValue} from '../errors.js'
import type {Database} from '../store/database.js'
import {openDrive} from '../store/drives.js'
import type {Followed} from '../store/messages.js'

/** Whose changes, and which of them (reference: operations.md, changes.list). */
export interface Following extends Followed {
  /** `user:<id>` or `drive:<id>`. */
  readonly line: string
  /** The shared drive, where it is one's line. */
  readonly driveId?: string
  /** The top folder that items must be below. */
  readonly topId?: string
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
  const {params, user} = call
  const sharedDrives = params.includeItemsFromAllDrives || params.includeTeamDriveItems
  const line = readLine(call)
  if (line.driveId !== undefined && !sharedDrives) throw driveSupport('includeItemsFromAllDrives')
  if (sharedDrives && !supportsDrives(call)) throw driveSupport('supportsAllDrives')
  const spaces = params.spaces ? params.spaces.split(',').map(space => space.trim()) : undefined
  if (!(spaces?.every(space => SPACES.includes(space)) ?? true)) throw invalidValue('spaces')
  return {
    ...line,
    sharedDrives,
    removals: params.includeDeleted,
    spaces,
    topId: params.includeSubscribed ? undefined : user.root_id,
  }
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

/** The changes of a line from `from` on, inclusive, the oldest first; at most `limit`. */
export function readChanges(
  store: Pick<Database, 'all'>,
  following: Following,
  from: number,
  limit: number,
): ChangeRow[] {
  return store.all<ChangeRow>(
    `SELECT * FROM changes
     WHERE audience = :line AND id >= :from
       AND (:sharedDrives = 1 OR drive_id IS NULL) AND (:removals = 1 OR removed = 0)
       AND (:spaces IS NULL OR space IN (SELECT value FROM json_each(:spaces)))
       AND (:topId IS NULL OR top_id = :topId)
     ORDER BY id LIMIT :limit`,
    {
      line: following.line,
      from,
      sharedDrives: Number(following.sharedDrives),
      removals: Number(following.removals),
      spaces: following.spaces ? JSON.stringify(following.spaces) : null,
      topId: following.topId ?? null,
      limit,
    },
  )
}
