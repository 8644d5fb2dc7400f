import {isObject, nonEmptyText} from '#lib/api/validate.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Page} from '#lib/client/client.js'

/** The state of items, and the kinds of a change, which follow from it. Pure. */

/** The kinds of changes. `changed` is an item that was not known before. */
export const CHANGE_KINDS = [
  'created',
  'renamed',
  'moved',
  'content',
  'metadata',
  'shared',
  'unshared',
  'trashed',
  'restored',
  'removed',
  'changed',
] as const

export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** The fields of a file that `itemStateOf` reads, as `fields` selects them. */
export const STATE_FIELDS =
  'id,title,mimeType,version,createdDate,modifiedDate,md5Checksum,headRevisionId,fileSize,driveId,labels/trashed,parents(id,isRoot),permissionIds,permissions(id,role,additionalRoles)'

/** The state of an item, as far as its changes have kinds. */
export interface ItemState {
  readonly title: string
  readonly mimeType: string
  /** The IDs of its parents. */
  readonly parents: readonly string[]
  /** The one of its parents that is the root of My Drive. */
  readonly root?: string
  readonly driveId?: string
  readonly isTrashed?: true
  /** Changes with the content: a checksum or a revision; for editor documents the time of the last edit. */
  readonly content?: string
  readonly size?: number
  /** Who has access, as `ID:ROLE`; `undefined` if the account may not know. */
  readonly access?: readonly string[]
  /** Increases with every change. */
  readonly version?: string
  /** Whether a follower has handed over this state; otherwise it was only listed or looked up. */
  readonly isSeen?: true
  /** A folder that was looked up for an item below it: its own changes may not have been handed over. */
  readonly isLookedUp?: true
  /** A folder that no longer exists; its last state tells where the items below it were. */
  readonly isGone?: true
}

/** The state in a record with `STATE_FIELDS`. */
export function itemStateOf(record: Page): ItemState {
  const {title, mimeType, driveId, fileSize, version, labels} = record
  const parents = Array.isArray(record.parents) ? record.parents.filter(isObject) : []
  const size = Number(fileSize)
  const content = contentOf(record)
  const access = accessOf(record)
  const root = parents.find(({isRoot}) => isRoot === true)?.id
  return {
    title: String(title ?? ''),
    mimeType: String(mimeType ?? ''),
    parents: parents.flatMap(({id}) => (typeof id === 'string' ? [id] : [])).sort(),
    ...(typeof root === 'string' && {root}),
    ...(typeof driveId === 'string' && {driveId}),
    ...(isObject(labels) && labels.trashed === true && {isTrashed: true}),
    ...(content !== undefined && {content}),
    ...(fileSize !== undefined && Number.isFinite(size) && {size}),
    ...(access && {access}),
    ...(version !== undefined && {version: String(version)}),
  }
}

/** The record that a path is found for. */
export function pathRecordOf(id: string, state: ItemState): Page {
  const {title, driveId, isTrashed = false, root, parents} = state
  const all = root === undefined ? parents : [root, ...parents.filter(parent => parent !== root)]
  return {
    ...{id, title, labels: {trashed: isTrashed}},
    ...(driveId !== undefined && {driveId}),
    parents: all.map(parent => ({id: parent, isRoot: parent === root})),
  }
}

export function isFolderState({mimeType}: ItemState): boolean {
  return mimeType === FOLDER_TYPE
}

function contentOf(record: Page): string | undefined {
  const {md5Checksum, headRevisionId, modifiedDate, mimeType} = record
  if (mimeType === FOLDER_TYPE) return undefined
  return nonEmptyText(md5Checksum) ?? nonEmptyText(headRevisionId) ?? nonEmptyText(modifiedDate)
}

function accessOf({permissions, permissionIds}: Page): readonly string[] | undefined {
  if (Array.isArray(permissions)) {
    const roles = permissions.filter(isObject).map(({id, role, additionalRoles}) => {
      const extra = Array.isArray(additionalRoles) ? additionalRoles.join('+') : ''
      return `${String(id)}:${String(role)}${extra && `+${extra}`}`
    })
    return roles.sort()
  }
  if (!Array.isArray(permissionIds)) return undefined
  return permissionIds.map(String).sort()
}

/**
 * What happened to an item: usually one kind, several if the service reports several changes as one.
 * Empty if the change was handed over before. `after` is `undefined` for an item that no longer exists.
 */
export function kindsOf(
  known: ItemState | undefined,
  after: ItemState | undefined,
  {isNew, isComplete}: UnknownItem,
): readonly ChangeKind[] {
  const before = known?.isGone ? undefined : known
  if (!after) return known?.isGone ? [] : ['removed']
  const isSame = before?.version !== undefined && before.version === after.version
  if (isSame && before.isSeen) return []
  // A state that was requested after the change does not show the earlier one.
  if (!before || isSame) return kindsOfNew(after, {isNew, isComplete: isComplete && !isSame})
  const access = accessKind(before.access, after.access)
  const found: ChangeKind[] = [
    ...(before.isTrashed && !after.isTrashed ? (['restored'] as const) : []),
    ...(!before.isTrashed && after.isTrashed ? (['trashed'] as const) : []),
    ...(isSameList(before.parents, after.parents) ? [] : (['moved'] as const)),
    ...(before.title === after.title ? [] : (['renamed'] as const)),
    ...(hasNewContent(before, after) ? (['content'] as const) : []),
    ...(access ? [access] : []),
  ]
  return found.length > 0 ? found : ['metadata']
}

/** The facts about an item that was not known before. */
export interface UnknownItem {
  /** Whether it was created after the follower started. */
  readonly isNew: boolean
  /** Whether all items in the followed folders were known before, so that it came from elsewhere. */
  readonly isComplete: boolean
}

function kindsOfNew(after: ItemState, {isNew, isComplete}: UnknownItem): ChangeKind[] {
  const first = isNew ? 'created' : isComplete ? 'moved' : 'changed'
  return after.isTrashed && isNew ? [first, 'trashed'] : [first]
}

/** An editor document has no checksum, and the time of its last edit also changes with its title. */
function hasNewContent(before: ItemState, after: ItemState): boolean {
  if (before.content === after.content) return false
  const isByTime = (state: ItemState) => /^\d{4}-\d\d-\d\dT/.test(state.content ?? '')
  return (
    !isByTime(after) || (before.title === after.title && isSameList(before.parents, after.parents))
  )
}

/** An account that may not list roles sees who has access, but not the roles. */
function accessKind(
  before: ItemState['access'],
  after: ItemState['access'],
): 'shared' | 'unshared' | undefined {
  if (!before || !after || isSameList(before, after)) return undefined
  const known = new Set(before)
  return after.some(one => !known.has(one)) ? 'shared' : 'unshared'
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at])
}
