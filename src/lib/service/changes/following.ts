import {knownValues} from '#lib/api/knownvalues.js'
import type {Call} from '#lib/service/call.js'
import {forbidden, invalidValue} from '#lib/service/errors.js'
import type {Following} from '#lib/service/store/changes.js'
import {openDrive} from '#lib/service/store/drives.js'
import {VIEW, type View} from '#lib/service/store/sharing/audience.js'

/**
 * What follows from changes lives here: reading what a follower asks for, and sending messages to
 * channels (reference: protocols.md, section 8). Noting changes, and the queue of the messages,
 * belong to ../store.
 */

const SPACES: readonly string[] = knownValues.spaces

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
  return forbidden('teamDriveSupportRequired', words, parameter)
}
