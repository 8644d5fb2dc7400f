import {isObject, nonEmptyText} from '#lib/api/validate.js'
import type {Page} from '#lib/client/client.js'
import type {ChangeList} from './checkpoint.js'
import {
  type ChangeKind,
  isFolderState,
  type ItemState,
  itemStateOf,
  kindsOf,
  STATE_FIELDS,
} from './known.js'
import type {KnownStates} from './known-states.js'
import type {Places} from './places.js'

/** Determines what happened from a change of the service, and updates the known states. */

/** Who changed a file last, as `fields` selects it. */
export const USER_FIELDS = 'lastModifyingUser(displayName,emailAddress)'

/** The fields of a page of changes that followers read. */
export const CHANGES_FIELDS = `nextPageToken,newStartPageToken,items(id,changeType,type,deleted,fileId,driveId,modificationDate,drive(id,name,createdDate),file(${STATE_FIELDS},${USER_FIELDS}))`

/** Parameters of `changes.list` for a list of changes. */
export function changesParams(list: ChangeList) {
  return {
    supportsAllDrives: 'true',
    includeItemsFromAllDrives: 'true',
    includeCorpusRemovals: 'true',
    ...(list !== undefined && {driveId: list}),
    maxResults: '1000',
    fields: CHANGES_FIELDS,
  }
}

/** A change as it is handed over. */
export interface FollowedChange {
  /** The ID of the change. */
  readonly id: string
  /** RFC 3339. */
  readonly time: string
  readonly kinds: readonly ChangeKind[]
  readonly fileId: string
  /** The remote path; of an item that no longer exists the last one. `undefined` if unknown. */
  readonly path?: string
  /** The path before, if it is another one. */
  readonly from?: string
  readonly title: string
  readonly mimeType?: string
  readonly size?: number
  /** The last person who changed it: an email address or a name. */
  readonly who?: string
}

/** A change with its meaning: the change to deliver, if any, and the new known state. */
export interface InterpretedChange {
  readonly changeId: string
  /** The key of its item in the known states. */
  readonly itemId: string
  /** `undefined` if it concerns no followed item, or was handed over before. */
  readonly event?: FollowedChange
  /** `undefined` if nothing is to be known about the item. */
  readonly state?: ItemState
  /** Whether a folder came from elsewhere, so that the items in it are not known. */
  readonly hasUnknownContents: boolean
}

export interface Interpreting {
  readonly known: KnownStates
  readonly places: Places
  /** Whether all items in the followed folders are known. */
  readonly isComplete: boolean
  /** Items created later than this are new, in Unix ms. */
  readonly newAfter: number
  /** Whether the change was found in a list instead of being reported. */
  readonly isListed?: boolean
}

/**
 * Looks up the folders above the items of a page, as they are and as they were; before `interpretChange`. Throws the
 * errors of requests.
 */
export async function prepareChanges(
  changes: readonly Page[],
  {known, places}: Pick<Interpreting, 'known' | 'places'>,
): Promise<void> {
  const states = changes.flatMap(({fileId, file}) =>
    [known.get(String(fileId)) ?? [], isObject(file) ? itemStateOf(file) : []].flat(),
  )
  await places.learnAbove(states)
}

/** Interprets a change and updates the known states in memory. */
export function interpretChange(change: Page, interpreting: Interpreting): InterpretedChange {
  const isDrive = (change.changeType ?? change.type) === 'drive'
  return isDrive ? interpretDrive(change, interpreting) : interpretFile(change, interpreting)
}

function interpretFile(change: Page, interpreting: Interpreting): InterpretedChange {
  const {known, places, isComplete, newAfter, isListed = false} = interpreting
  const {file} = change
  const itemId = String(change.fileId ?? '')
  const changeId = changeIdOf(change)
  const before = known.get(itemId)
  // An item that left its list, but is still visible elsewhere, has a file.
  const record = isObject(file) ? file : undefined
  const after = record && itemStateOf(record)
  // Another list of changes, or a lookup, has already returned a later state.
  if (isLater(before, after)) {
    return {changeId, itemId, state: before, hasUnknownContents: false}
  }
  const wasInside = before !== undefined && !before.isGone && places.isInside(itemId, before)
  const wasAt = before && places.path(itemId, before)
  const isNew = Date.parse(String(record?.createdDate)) > newAfter
  const isSame = isListed && isUnchanged(before, after, isNew)
  const kinds = isSame ? [] : kindsOf(before, after, {isNew, isComplete})
  const state = nextState(before, after)

  const isInside = after ? placeState(itemId, after, state!) : false
  const isFollowed = wasInside || isInside || (!after && !isComplete)
  const path = after ? places.path(itemId, after) : wasAt
  const shown = after ?? before
  // Outside, folders matter, because they may lead to a followed one, and items that may come back.
  const mayComeBack = after !== undefined && before !== undefined
  const isFolder = shown !== undefined && isFolderState(shown)
  const isKept = !isComplete || isInside || isFolder || mayComeBack
  if (!isKept) known.delete(itemId)
  const user = record && isObject(record.lastModifyingUser) ? record.lastModifyingUser : {}
  const who = nonEmptyText(user.emailAddress) ?? nonEmptyText(user.displayName)
  const event: FollowedChange = {
    id: changeId,
    time: String(change.modificationDate ?? ''),
    kinds,
    fileId: itemId,
    ...(path !== undefined && {path}),
    ...(wasAt !== undefined && wasAt !== path && {from: wasAt}),
    title: shown?.title ?? '',
    ...(shown && {mimeType: shown.mimeType}),
    ...(shown?.size !== undefined && {size: shown.size}),
    ...(who !== undefined && {who}),
  }
  return {
    changeId,
    itemId,
    ...(isFollowed && kinds.length > 0 && {event}),
    ...(isKept && state && {state}),
    hasUnknownContents:
      isComplete && isInside && !wasInside && after !== undefined && isFolderState(after) && !isNew,
  }

  /** Takes over the state, and returns whether the item is now inside. */
  function placeState(id: string, now: ItemState, next: ItemState): boolean {
    known.set(id, next)
    return places.isInside(id, now)
  }
}

/** Whether nothing has happened to a listed item since its known state, and that state needs no report. */
function isUnchanged(
  before: ItemState | undefined,
  after: ItemState | undefined,
  isNew: boolean,
): boolean {
  if (before?.version === undefined || before.version !== after?.version) return false
  // A new item may have been created while the followed items were listed at the start.
  return before.isSeen === true || (!before.isLookedUp && !isNew)
}

/** Whether the first of two states of an item is the later one. */
function isLater(one: ItemState | undefined, other: ItemState | undefined): boolean {
  return Number(one?.version) > Number(other?.version)
}

/** The state to remember: of a folder that no longer exists the last one, because items were below it. */
function nextState(
  before: ItemState | undefined,
  after: ItemState | undefined,
): ItemState | undefined {
  if (after) return {...after, isSeen: true}
  return before && isFolderState(before) ? {...before, isGone: true} : undefined
}

/** A shared drive itself was created, renamed or deleted, or the account joined or left it. */
function interpretDrive(change: Page, interpreting: Interpreting): InterpretedChange {
  const {known, places, isComplete, newAfter} = interpreting
  const driveId = String(change.driveId ?? change.teamDriveId ?? '')
  const itemId = `drive:${driveId}`
  const changeId = changeIdOf(change)
  const before = known.get(itemId)
  const drive = change.deleted === true || !isObject(change.drive) ? undefined : change.drive
  const title = String(drive?.name ?? before?.title ?? '')
  const state: ItemState = {title, mimeType: '', parents: []}
  const isNew = Date.parse(String(drive?.createdDate)) > newAfter
  const kinds = kindsOf(before, drive && state, {isNew, isComplete: false})
  const pathTo = (name: string | undefined) => (name ? {path: `drive:${name}`} : {})
  if (drive) {
    places.nameDrive(driveId, title)
    known.set(itemId, state)
  } else known.delete(itemId)
  const from = before && before.title !== title ? {from: `drive:${before.title}`} : {}
  const time = String(change.modificationDate ?? '')
  const event = {id: changeId, time, kinds, fileId: driveId, title, ...pathTo(title), ...from}
  const isFollowed = !isComplete || places.isInside(driveId, state)
  return {
    changeId,
    itemId,
    ...(isFollowed && {event}),
    ...(drive && {state}),
    hasUnknownContents: false,
  }
}

/** A change of a service without IDs is identified by its item and time. */
export function changeIdOf({id, fileId, driveId, modificationDate}: Page): string {
  if (typeof id === 'string' || typeof id === 'number') return String(id)
  return `${String(fileId ?? driveId)}@${String(modificationDate)}`
}
