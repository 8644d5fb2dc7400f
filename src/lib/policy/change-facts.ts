import {knownOperation, type Operation, type OperationId} from '#lib/api/operations.js'
import {parentIds} from '#lib/api/reached.js'
import type {BatchCall, CallInput} from '#lib/client/client.js'
import {isObject} from '#lib/platform/values.js'

/** What policies need to know about a change, from its request alone. Pure. */

/** Access that a change grants, as its body names it. */
export interface ProposedGrant {
  readonly type?: string
  /** An email address or a domain. */
  readonly value?: string
}

/** Something that a change trashes or deletes. */
export type Deletion =
  /** An item with its contents; `isForGood` includes trashed ones. */
  | {readonly kind: 'item'; readonly id: string; readonly isForGood: boolean}
  /** The contents of a trash: that of a shared drive, or the user's own. */
  | {readonly kind: 'trash'; readonly driveId?: string}
  /** One thing without contents, such as a revision. */
  | {readonly kind: 'one'}

export interface ChangeFacts {
  readonly id: string
  /** The name of the item in messages. */
  readonly label?: string
  /** Whether drv knows what the operation does. */
  readonly isKnown: boolean
  /** IDs of existing items that it changes. */
  readonly changed: readonly string[]
  /** IDs of existing items that it takes out of their folder. */
  readonly removed: readonly string[]
  /** IDs of the folders that receive an item. */
  readonly into: readonly string[]
  /** The file whose folders receive the item. */
  readonly besides?: string
  /** What it changes that is in no folder. */
  readonly outside?: string
  /** The ID of the new item, if it is reserved. */
  readonly created?: string
  readonly deletions: readonly Deletion[]
  /** Bytes of content that it uploads; `undefined` if unknown. */
  readonly bytes: number | undefined
  readonly grants: readonly ProposedGrant[]
  /** The existing permission that it changes. */
  readonly permission?: CallInput['params']
  /** It publishes a revision. */
  readonly isPublished?: boolean
  /** It may succeed for items that cannot be read like files. */
  readonly isBlind: boolean
}

type Own = Partial<Omit<ChangeFacts, 'id' | 'label' | 'isKnown' | 'bytes' | 'isBlind'>>

type Inputs = Pick<CallInput, 'params' | 'body'>

const text = (value: unknown): string => (typeof value === 'string' ? value : String(value ?? ''))

const ids = (value: unknown): string[] =>
  [value].flat().flatMap(one => text(one).split(',').filter(Boolean))

const fileOf = ({params}: Inputs): string[] => ids(params.fileId)

const item = (id: string, isForGood: boolean): Deletion => ({kind: 'item', id, isForGood})

/** A change of the item itself. */
const changes = (input: Inputs): Own => ({changed: fileOf(input)})

/** The folders in the body of a new item; the root folder without any. */
function parentsIn({body = {}}: Inputs): string[] {
  const parents = parentIds(body)
  return parents.length > 0 ? parents : ['root']
}

function update(input: Inputs): Own {
  const {params, body = {}} = input
  const file = fileOf(input)
  const isMoved = params.removeParents !== undefined || body.parents !== undefined
  const isTrashed = isObject(body.labels) && Boolean(body.labels.trashed)
  return {
    changed: file,
    removed: isMoved || isTrashed ? file : [],
    into: [...ids(params.addParents), ...parentIds(body)],
    deletions: isTrashed ? file.map(id => item(id, false)) : [],
    ...shares(body),
  }
}

/** The permissions in the body of a file; services ignore them, but a future one may not. */
function shares({permissions}: Readonly<Record<string, unknown>>): Own {
  return Array.isArray(permissions) ? {grants: permissions.filter(isObject).map(grantIn)} : {}
}

function created(input: Inputs): Own {
  const {body = {}} = input
  return {
    into: parentsIn(input),
    ...(typeof body.id === 'string' && {created: body.id}),
    ...shares(body),
  }
}

function grantIn(body: Readonly<Record<string, unknown>>): ProposedGrant {
  const {type, value, emailAddress, domain} = body
  const named = [value, emailAddress, domain].find(one => typeof one === 'string' && one !== '')
  return {
    ...(typeof type === 'string' && {type}),
    ...(typeof named === 'string' && {value: named}),
  }
}

/** A change of an existing permission, which can also name other people. */
function changesPermission(input: Inputs): Own {
  const {params, body = {}} = input
  const grant = grantIn(body)
  const {fileId, permissionId, useDomainAdminAccess} = params
  return {
    changed: fileOf(input),
    grants: grant.type === undefined && grant.value === undefined ? [] : [grant],
    permission: {
      fileId: fileId!,
      permissionId: permissionId!,
      ...(useDomainAdminAccess !== undefined && {useDomainAdminAccess}),
    },
  }
}

function changesRevision(input: Inputs): Own {
  const {published, publishAuto, publishedOutsideDomain} = input.body ?? {}
  const isPublished = Boolean(published ?? publishAuto ?? publishedOutsideDomain)
  return {changed: fileOf(input), isPublished}
}

const removes =
  (isForGood: boolean) =>
  (input: Inputs): Own => {
    const file = fileOf(input)
    return {changed: file, removed: file, deletions: file.map(id => item(id, isForGood))}
  }

/** A change of a shared drive, which is the folder of its ID. */
const drive = ({params}: Inputs): Own => ({changed: ids(params.driveId)})

/** The facts of each operation that changes something. */
const TABLE: Partial<Readonly<Record<OperationId, (input: Inputs) => Own>>> = {
  'children.delete': ({params}) => {
    const child = ids(params.childId)
    return {
      changed: [...child, ...ids(params.folderId)],
      removed: child,
      deletions: child.map(id => item(id, true)),
    }
  },
  'children.insert': ({params, body}) => ({
    changed: ids(body?.id),
    into: ids(params.folderId),
  }),
  'drives.delete': input => {
    const ids = drive(input).changed!
    return {changed: ids, removed: ids, deletions: ids.map(id => item(id, true))}
  },
  'drives.hide': drive,
  'drives.insert': () => ({outside: 'a new shared drive'}),
  'drives.unhide': drive,
  'drives.update': drive,
  'files.copy': input => {
    const own = created(input)
    if (parentIds(input.body ?? {}).length > 0) return own
    return {...own, into: [], besides: fileOf(input)[0]}
  },
  'files.delete': removes(true),
  'files.emptyTrash': ({params}) => {
    const [driveId] = ids(params.driveId)
    return {
      changed: [driveId ?? 'root'],
      deletions: [{kind: 'trash', ...(driveId !== undefined && {driveId})}],
    }
  },
  'files.insert': created,
  'files.modifyLabels': changes,
  'files.patch': update,
  'files.touch': changes,
  'files.trash': removes(false),
  'files.untrash': changes,
  'files.update': update,
  'parents.delete': input => {
    const file = fileOf(input)
    return {
      changed: [...file, ...ids(input.params.parentId)],
      removed: file,
      deletions: file.map(id => item(id, true)),
    }
  },
  'parents.insert': input => ({changed: fileOf(input), into: ids(input.body?.id)}),
  'permissions.delete': changes,
  'permissions.insert': input => ({
    changed: fileOf(input),
    removed: text(input.params.moveToNewOwnersRoot) === 'true' ? fileOf(input) : [],
    grants: [grantIn(input.body ?? {})],
  }),
  'permissions.patch': changesPermission,
  'permissions.update': changesPermission,
  'properties.delete': changes,
  'properties.insert': changes,
  'properties.patch': changes,
  'properties.update': changes,
  'revisions.delete': input => ({changed: fileOf(input), deletions: [{kind: 'one'}]}),
  'revisions.patch': changesRevision,
  'revisions.update': changesRevision,
}

const NOTHING = {changed: [], removed: [], into: [], deletions: [], grants: []}

/**
 * The facts of a change. An operation that drv does not know counts as a change of an unknown item, and as a
 * deletion.
 */
export function changeFacts(
  {
    id,
    input,
  }: Pick<BatchCall, 'id'> & {
    readonly input: Inputs & {readonly upload?: {readonly size?: number}}
  },
  operation: Operation,
  label?: string,
): ChangeFacts {
  const own = knownOperation(operation) && TABLE[id]?.(input)
  return {
    ...NOTHING,
    ...(own ?? {deletions: [{kind: 'one'}]}),
    id,
    ...(label !== undefined && {label}),
    isKnown: own !== undefined,
    bytes: input.upload ? input.upload.size : 0,
    isBlind:
      /^(drives|permissions)\.|^files\.emptyTrash$/.test(id) ||
      text(input.params.useDomainAdminAccess) === 'true',
  }
}
