import {selectionOf} from '#lib/api/fields.js'
import type {Call, Handlers} from '#lib/service/call.js'
import {invalidValue, notFound} from '#lib/service/errors.js'
import {drivesNeed, spacesIn} from '#lib/service/query/corpus.js'
import {changedItems, changeRecord} from '#lib/service/records/change.js'
import {etagOf, requestLink} from '#lib/service/records/common.js'
import {
  findChange,
  type Following,
  largestChangeId,
  readChanges,
} from '#lib/service/store/changes.js'
import {openDrive} from '#lib/service/store/drives.js'
import {VIEW, type View} from '#lib/service/store/sharing/audience.js'
import {nextPage} from './paging.js'

/**
 * Lists changes (reference: operations.md, changes.list; resources.md, Change). A page token is the
 * number of the first change on the page, so the token for future changes is the next free number.
 *
 * A line is the list of changes of one user (`user:ID`) or of one shared drive (`drive:ID`).
 */

/** Maximum number of changes on a page. A larger `maxResults` is reduced to it. */
const PAGE_LIMIT = 1000
/** Number of rows per query. */
const BATCH = 200

type FollowCall = Call<'changes.list' | 'changes.watch'>
type LineCall = FollowCall | Call<'changes.get' | 'changes.getStartPageToken'>
/** For the error message when a parameter for shared drives is missing. */
const PURPOSE = 'follow changes in'

type Entry = NonNullable<ReturnType<typeof changeRecord>>

export const changesHandlers = {
  'changes.get'(call) {
    const {store, params} = call
    const {line, driveId} = readChangeLine(call)
    const row = findChange(store, line, params.changeId)
    const hidden = row?.drive_id !== null && !params.supportsAllDrives && !params.supportsTeamDrives
    const record =
      row &&
      !hidden &&
      changeRecord(call, row, {driveId, includeCorpusRemovals: false}, call.fields)
    if (!record) throw notFound('Change', params.changeId, 'changeId')
    return record
  },

  'changes.getStartPageToken'(call) {
    readChangeLine(call)
    return {
      kind: 'drive#startPageToken',
      startPageToken: String(largestChangeId(call.store) + 1),
    }
  },

  'changes.list'(call) {
    const {params} = call
    const following = readFollowing(call)
    const largest = largestChangeId(call.store)
    const size = Math.min(params.maxResults, PAGE_LIMIT)
    const found = entries(call, following, readStart(call, largest), size + 1)
    const items = found.slice(0, size)
    const selfLink = requestLink(call, 'changes')
    const next = found[size]?.id
    return {
      kind: 'drive#changeList',
      etag: etagOf(
        items.map(({id, file}) => [id, file?.etag]),
        next,
      ),
      selfLink,
      largestChangeId: String(largest),
      ...(next === undefined ? {newStartPageToken: String(largest + 1)} : nextPage(selfLink, next)),
      items,
    }
  },
} satisfies Partial<Handlers<'changes'>>

/** The number of the first change to list; 0, which includes all, if the request names none. Throws 400. */
function readStart({params}: Call<'changes.list'>, largest: number): number {
  const parameter = params.pageToken ? 'pageToken' : 'startChangeId'
  const text = params[parameter]
  if (text === undefined || text === '') return 0
  // A token from another data directory may be too large. The client has to start over.
  if (!/^\d{1,15}$/.test(text) || Number(text) > largest + 1) throw invalidValue(parameter)
  return Number(text)
}

/** The first `limit` records, from change `from` on, that the caller can see. */
function entries(
  call: Call<'changes.list'>,
  following: Following,
  from: number,
  limit: number,
): Entry[] {
  const {includeCorpusRemovals, includeDeleted} = call.params
  const view = {driveId: following.driveId, includeCorpusRemovals}
  const found: Entry[] = []
  for (let start = from; ;) {
    const rows = readChanges(call.store, following, start, BATCH)
    const items = changedItems(call, rows)
    for (const row of rows) {
      const entry = changeRecord(call, row, view, selectionOf(call.fields, 'items'), items)
      if (!entry || (entry.deleted && !includeDeleted)) continue
      found.push(entry)
      if (found.length === limit) return found
    }
    if (rows.length < BATCH) return found
    start = rows.at(-1)!.id + 1
  }
}

/**
 * The line of the shared drive in `driveId`, or of the caller. Throws 403 without `supportsAllDrives`,
 * and 404 if the caller is not a member of the drive.
 */
export function readChangeLine(call: LineCall): Pick<Following, 'line' | 'driveId'> {
  const {params, user} = call
  const driveId = params.driveId || params.teamDriveId || undefined
  if (driveId === undefined) return {line: `user:${user.id}`}
  if (!supportsDrives(call)) throw drivesNeed('supportsAllDrives', PURPOSE)
  return {line: `drive:${openDrive(call, driveId).id}`, driveId}
}

/**
 * The changes that the parameters of changes.list or changes.watch select. Throws 403 if a parameter
 * that shared drives need is missing.
 */
export function readFollowing(call: FollowCall): Following {
  const {params} = call
  const sharedDrives = params.includeItemsFromAllDrives || params.includeTeamDriveItems
  const line = readChangeLine(call)
  if (line.driveId !== undefined && !sharedDrives)
    throw drivesNeed('includeItemsFromAllDrives', PURPOSE)
  if (sharedDrives && !supportsDrives(call)) throw drivesNeed('supportsAllDrives', PURPOSE)
  return {
    ...line,
    view: viewOf(params.includeSubscribed, sharedDrives),
    removals: params.includeDeleted,
    spaces: params.spaces ? spacesIn(params.spaces) : undefined,
  }
}

/** The view of a line that includes items outside the caller's My Drive if `subscribed`, and items of shared drives if `sharedDrives`. */
export function viewOf(subscribed: boolean, sharedDrives: boolean): View {
  if (!subscribed) return VIEW.ownDrive
  return sharedDrives ? VIEW.everything : VIEW.myDrives
}

function supportsDrives({params}: LineCall): boolean {
  return params.supportsAllDrives || params.supportsTeamDrives
}
