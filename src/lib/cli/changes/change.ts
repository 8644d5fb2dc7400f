import {knownOperation, type Operation, type OperationId} from '#lib/api/operations.js'
import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Parsed} from '#lib/cli/input/call-input.js'
import type {CallInput, Page} from '#lib/client/client.js'
import type {Action} from './actions.js'

/**
 * The text for a change: the line that reports what a command did, or what a dry run would do. Printing
 * records: `../output`. Sending requests: `../run`.
 */

/** The extent of a change. */
export interface Extent {
  readonly files: number
  readonly folders: number
  /** Total size of the counted files in bytes. */
  readonly bytes: number
  /** Whether the counts are incomplete. */
  readonly isMore?: boolean
}

/** One change, in terms of the command line. */
export interface Change {
  readonly action: Action
  /** The item: a path, a name or an ID, as typed. */
  readonly thing: string
  /** The ID of the file whose size a dry run requests. */
  readonly fileId?: string
  /** The ID of the shared drive whose trash is emptied, or `root` for My Drive. */
  readonly trashOf?: string
  readonly isFolder?: boolean
  readonly extent?: Extent
  /** The destination, as typed. */
  readonly to?: string
  /** The source, as typed. */
  readonly from?: string
  /** The file of a property or a revision, as typed. */
  readonly of?: string
  readonly title?: string
  readonly value?: string
  readonly who?: string
  readonly role?: string
  /** Whether an email is sent; `undefined` if there is no recipient. */
  readonly isMailed?: boolean
  /** The web address of the file. */
  readonly link?: string
  /** Whether an existing item of the same name goes to the trash. */
  readonly isReplacing?: boolean
}

/** The item of a change: for a part, such as a property, its file. `undefined` if it has no name. */
export function changedItem({thing, of}: Change): string | undefined {
  return [of, thing].find(name => name !== undefined && name !== '')
}

/** A request, with the command line that it comes from. */
interface TypedRequest extends Pick<Parsed, 'args' | 'flags'> {
  readonly params: CallInput['params']
  readonly body: NonNullable<CallInput['body']>
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** The value of an argument or flag as typed, else the value in the request. */
const typed = (argument: unknown, sent: unknown): string => text(argument) ?? text(sent) ?? ''

const fileIn = ({args, params}: TypedRequest) => typed(args.file_id, params.fileId)

const ofFile =
  (action: Action, more: (request: TypedRequest) => Partial<Change> = () => ({})) =>
  (request: TypedRequest): Change => ({
    action,
    thing: fileIn(request),
    ...(text(request.params.fileId) && {fileId: String(request.params.fileId)}),
    ...more(request),
  })

const ofDrive =
  (action: Action) =>
  ({args, params, body}: TypedRequest): Change => ({
    action,
    thing: typed(args.drive_id ?? body.name, params.driveId),
  })

const ofProperty =
  (action: Action) =>
  (request: TypedRequest): Change => ({
    action,
    thing: typed(request.args.property_key ?? request.body.key, request.params.propertyKey),
    of: fileIn(request),
    ...(action === 'set property' && {value: text(request.body.value)}),
  })

const ofRevision =
  (action: Action) =>
  (request: TypedRequest): Change => ({
    action,
    thing: typed(request.args.revision_id, request.params.revisionId),
    of: fileIn(request),
  })

const ofRole = ofFile('change role', ({args, params, body}) => ({
  who: typed(args.permission_id, params.permissionId),
  role: roleIn(body),
}))

const parentIn = ({flags, body}: TypedRequest): string | undefined => {
  const [parent] = Array.isArray(body.parents) ? (body.parents as Array<{id?: unknown}>) : []
  return text(flags.parent) ?? text(parent?.id)
}

/** The change of a metadata update: only a new title is a renaming, another folder a move. */
function updateOf(request: TypedRequest): Change {
  const {args, flags, params, body} = request
  const named = ofFile('update')(request)
  if (args.path !== undefined) return {...named, action: 'update content'}
  if (params.addParents !== undefined) {
    const from =
      flags['remove-parents'] === undefined ? {} : {from: String(flags['remove-parents'])}
    return {...named, action: 'move', ...from, to: typed(flags['add-parents'], params.addParents)}
  }
  const [field, second] = Object.keys(body)
  if (second !== undefined) return named
  if (field === 'title') return {...named, action: 'rename', title: String(body.title)}
  return {...named, action: starring(body.labels) ?? 'update'}
}

/** `star` or `unstar` if the star is the only label; otherwise `undefined`. */
function starring(labels: unknown): Action | undefined {
  if (typeof labels !== 'object' || labels === null) return undefined
  const {starred, ...others} = labels as Readonly<Record<string, unknown>>
  if (typeof starred !== 'boolean' || Object.keys(others).length > 0) return undefined
  return starred ? 'star' : 'unstar'
}

function insertionOf(request: TypedRequest): Change {
  const {args, body} = request
  const to = parentIn(request)
  return {
    action: args.path === undefined ? 'create' : 'upload',
    thing: text(body.title) ?? 'Untitled',
    isFolder: body.mimeType === FOLDER_TYPE,
    to: to === undefined || to === 'root' ? 'My Drive' : to,
  }
}

/** The change of each operation that makes one. */
const CHANGES: Partial<Readonly<Record<OperationId, (request: TypedRequest) => Change>>> = {
  'channels.stop': ({args, params, body}) => ({
    action: 'stop channel',
    thing: typed(args.id, params.id ?? body.id),
  }),
  'children.delete': ({args, params}) => ({
    action: 'remove',
    thing: typed(args.child_id, params.childId),
    from: typed(args.folder_id, params.folderId),
  }),
  'children.insert': ({args, flags, params, body}) => ({
    action: 'move',
    thing: typed(flags.id, body.id),
    to: typed(args.folder_id, params.folderId),
  }),
  'drives.delete': ofDrive('delete drive'),
  'drives.hide': ofDrive('hide drive'),
  'drives.insert': ofDrive('create drive'),
  'drives.unhide': ofDrive('unhide drive'),
  'drives.update': ofDrive('update drive'),
  'files.copy': ofFile('copy', request => ({
    to: [parentIn(request), text(request.body.title)].filter(Boolean).join('/') || undefined,
  })),
  'files.delete': ofFile('delete'),
  'files.emptyTrash': ({flags, params}) => ({
    action: 'empty trash',
    thing: typed(flags['drive-id'], params.driveId),
    trashOf: text(params.driveId) ?? 'root',
  }),
  'files.insert': insertionOf,
  'files.modifyLabels': ofFile('label'),
  'files.patch': updateOf,
  'files.touch': ofFile('touch'),
  'files.trash': ofFile('trash'),
  'files.untrash': ofFile('restore'),
  'files.update': updateOf,
  'parents.delete': ofFile('remove', ({args, params}) => ({
    from: typed(args.parent_id, params.parentId),
  })),
  'parents.insert': ofFile('move', ({flags, body}) => ({to: typed(flags.id, body.id)})),
  'permissions.delete': ofFile('unshare', ({args, params}) => ({
    who: typed(args.permission_id, params.permissionId),
  })),
  'permissions.insert': ofFile('share', ({params, body}) => ({
    who: body.type === 'anyone' ? 'anyone who has the link' : text(body.value),
    role: roleIn(body),
    ...(/^(user|group)$/.test(String(body.type)) && {
      isMailed: params.sendNotificationEmails !== 'false',
    }),
  })),
  'permissions.patch': ofRole,
  'permissions.update': ofRole,
  'properties.delete': ofProperty('delete property'),
  'properties.insert': ofProperty('set property'),
  'properties.patch': ofProperty('set property'),
  'properties.update': ofProperty('set property'),
  'revisions.delete': ofRevision('delete revision'),
  'revisions.patch': ofRevision('update revision'),
  'revisions.update': ofRevision('update revision'),
}

/**
 * The change that a request makes. `undefined` for requests that only read, for `watch` requests (their whole
 * record is needed to stop the channel), and for operations that drv knows only from a description.
 */
export function changeOf(
  operation: Operation,
  {args, flags}: Parsed,
  {params, body = {}}: CallInput,
): Change | undefined {
  const known = knownOperation(operation)
  return known && CHANGES[known.operationId]?.({args, flags, params, body})
}

/** Whether `changeOf` supports an operation. */
export function hasChange(operation: Operation): boolean {
  const known = knownOperation(operation)
  return known !== undefined && Object.hasOwn(CHANGES, known.operationId)
}

/** The role in a body; the service represents a commenter as a reader with an additional role. */
function roleIn({role, additionalRoles}: NonNullable<CallInput['body']>): string | undefined {
  const isCommenter = Array.isArray(additionalRoles) && additionalRoles.includes('commenter')
  return isCommenter && role === 'reader' ? 'commenter' : text(role)
}

/** Whether an item was named by its remote path. */
export function isPath(thing: string): boolean {
  return /^(\/|(drive|trash|shared):)/.test(thing)
}

/** The same change with details from the item's record: its size, and its title if it was named by an ID. */
export function withRecord(change: Change, record: Page | undefined): Change {
  if (!record) return change
  const {title, name, mimeType, fileSize, emailAddress} = record
  const isFolder = change.isFolder ?? mimeType === FOLDER_TYPE
  // A restored item is no longer at the trash path that was typed.
  const isNamed = (isPath(change.thing) && change.action !== 'restore') || change.of !== undefined
  const bytes = Number(fileSize)
  const who = change.action === 'change role' ? text(emailAddress) : undefined
  return {
    ...change,
    isFolder,
    ...(!isNamed && {thing: text(title) ?? text(name) ?? change.thing}),
    ...(who !== undefined && {who}),
    ...(change.extent === undefined &&
      Number.isFinite(bytes) &&
      !isFolder && {extent: {files: 1, folders: 0, bytes}}),
  }
}
