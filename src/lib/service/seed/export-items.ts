import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {fullExtensionOf, kindOfType, typeByName} from '#lib/service/content/types.js'
import {detailsOf} from '#lib/service/store/files/files.js'
import type {RevisionRow} from '#lib/service/store/files/revisions.js'
import type {ItemTables, StoredFile} from './export-tables.js'
import type {
  SeedFile,
  SeedLabelField,
  SeedMarks,
  SeedPermission,
  SeedProperty,
  SeedRevision,
  SeedRoot,
} from './seed.js'

/** What an item gets from its folder unless the seed says otherwise. */
interface Defaults {
  readonly owner: number
  readonly client?: string | null
}

/** The items in a folder. */
export function childrenOf(
  tables: ItemTables,
  folderId: string,
  defaults: Defaults,
): readonly SeedFile[] | undefined {
  const rows = tables.children.get(folderId)
  return rows?.map(row => fileOf(tables, row, defaults))
}

export const dateOf = (time: number): string => new Date(time).toISOString()

/** The value unless it is the default, so that seeds stay short. */
export const unless = <T>(value: T, standard: unknown): T | undefined =>
  value === standard ? undefined : value

function fileOf(tables: ItemTables, row: StoredFile, defaults: Defaults): SeedFile {
  const {id, title, mime_type: type} = row
  const details = detailsOf(row)
  const isFolder = type === FOLDER_TYPE
  const owner = row.owner_id ?? defaults.owner
  const below = {...defaults, owner}
  const name = headOf(tables, row)?.original_filename ?? title
  const [thumbnail] = tables.thumbnails.get(id) ?? []
  const lock = details.contentRestriction
  const extension = kindOfType(type) === 'binary' ? fullExtensionOf(title) : undefined
  const target = tables.files.get(row.shortcut_target_id ?? '')
  return {
    title,
    id,
    ...(!isFolder && type !== SHORTCUT_TYPE && {mimeType: unless(type, typeByName(name))}),
    shortcutTarget: row.shortcut_target_id ?? undefined,
    targetMimeType: unless(details.targetMimeType, target?.mime_type),
    owner: owner === defaults.owner ? undefined : loginOf(tables, owner)!,
    app: unless(row.client_id, defaults.client ?? null) ?? undefined,
    createdDate: dateOf(row.created_at),
    modifiedDate: unless(dateOf(row.modified_at), dateOf(row.created_at)),
    modifiedBy:
      unless(row.modifier_id, owner) === undefined ? undefined : loginOf(tables, row.modifier_id),
    originalFilename: unless(name, title),
    fullFileExtension:
      unless(details.fullFileExtension, extension) ??
      (extension && details.fullFileExtension === undefined ? '' : undefined),
    useContentAsIndexableText: isIndexed(tables, row) || undefined,
    copyRequiresWriterPermission: details.copyRequiresWriterPermission,
    contentRestriction: lock && {
      reason: lock.reason,
      ownerRestricted: lock.ownerRestricted || undefined,
      user: loginOf(tables, lock.restrictingUserId),
      date: dateOf(lock.restrictionDate),
    },
    clientEncryptionDetails: details.clientEncryptionDetails as SeedFile['clientEncryptionDetails'],
    image: details.image,
    thumbnail: thumbnail && {
      mimeType: thumbnail.mime_type,
      ...tables.content.of(thumbnail.blob_id, false),
    },
    thumbnailVersion: unless(details.thumbnailVersion, thumbnail && 1),
    ...(row.explicitly_trashed === 1 && {
      trashed: true,
      trashedDate: row.trashed_at === null ? undefined : dateOf(row.trashed_at),
      trashedBy: row.trasher_id === owner ? undefined : loginOf(tables, row.trasher_id),
    }),
    inheritsPermissions: row.inherits === 1 ? undefined : false,
    permissions: seedPermissions(tables, id),
    ...commonOf(tables, row, defaultMarks(tables, row, owner)),
    version: unless(row.version, 2),
    ...contentOf(tables, row, name),
    ...(isFolder && {children: childrenOf(tables, id, below) ?? []}),
  }
}

/** The metadata of a root folder; `undefined` if all of it is the default. */
export function seedRoot(
  tables: ItemTables,
  id: string,
  standard: {readonly time: number; readonly modifier: number | null},
): SeedRoot | undefined {
  const row = tables.files.get(id)!
  const root: SeedRoot = {
    modifiedDate: row.modified_at === standard.time ? undefined : dateOf(row.modified_at),
    modifiedBy:
      row.modifier_id === standard.modifier ? undefined : loginOf(tables, row.modifier_id),
    ...commonOf(tables, row, new Map()),
    version: unless(row.version, 1),
  }
  return Object.values(root).some(value => value !== undefined) ? root : undefined
}

/** The fields that files and root folders share. */
function commonOf(tables: ItemTables, row: StoredFile, marks: ReadonlyMap<number, SeedMarks>) {
  const {description, folderColorRgb, writersCanShare} = detailsOf(row)
  const given = tables.words.get(row.id)?.[0]?.given.trim()
  return {
    description,
    folderColorRgb,
    writersCanShare,
    indexableText: given || undefined,
    properties: propertiesOf(tables, row.id),
    labels: tables.labels.get(row.id)?.map(label => ({
      id: label.label_id,
      revisionId: label.revision_id,
      fields: JSON.parse(label.fields) as Readonly<Record<string, SeedLabelField>>,
    })),
    marks: marksOf(tables, row.id, marks),
  }
}

/** The login of a user; `null` for a deleted one. */
function loginOf(tables: ItemTables, id: number | null): string | null {
  return tables.users.get(id ?? 0)?.login ?? null
}

function headOf(tables: ItemTables, {id, head_revision_id}: StoredFile): RevisionRow | undefined {
  return tables.revisions.get(id)?.find(revision => revision.id === head_revision_id)
}

/** Whether the words of content that is not text were indexed. */
function isIndexed(tables: ItemTables, {id, mime_type: type}: StoredFile): boolean {
  const isText = type.startsWith('text/') || kindOfType(type) !== 'binary'
  return !isText && (tables.words.get(id)?.[0]?.content.trim() ?? '') !== ''
}

/** The permissions on an item itself. */
export function seedPermissions(
  tables: ItemTables,
  id: string,
): readonly SeedPermission[] | undefined {
  const accounts = new Map([...tables.users.values()].map(({email, login}) => [email, login]))
  return tables.permissions.get(id)?.map(row => ({
    type: unless(row.type, 'user'),
    role: row.commenter ? 'commenter' : row.role,
    value:
      row.domain ??
      (row.type === 'user' ? accounts.get(row.email!) : undefined) ??
      row.email ??
      undefined,
    withLink: row.with_link === 1 || undefined,
    expirationDate: row.expires_at === null ? undefined : dateOf(row.expires_at),
    pendingOwner: row.pending_owner === 1 || undefined,
  }))
}

function propertiesOf(tables: ItemTables, id: string): readonly SeedProperty[] | undefined {
  return tables.properties.get(id)?.map(row => ({
    key: row.key,
    value: row.value,
    visibility: unless(row.visibility, 'PUBLIC'),
    app: row.client_id || undefined,
    version: unless(row.version, 1),
  }))
}

/** The content of a file: that of its only revision, or all revisions. */
function contentOf(tables: ItemTables, row: StoredFile, name: string) {
  const rows = tables.revisions.get(row.id) ?? []
  if (rows.length === 0) return {}
  const isEditor = kindOfType(row.mime_type) === 'editor'
  const revisions = rows.map((revision, index): SeedRevision => {
    const next = rows[index + 1]?.modified_at ?? row.modified_at
    const modifier = revision.modifier_id
    return {
      id: revision.id,
      ...tables.content.of(revision.blob_id, isEditor),
      mimeType: unless(revision.mime_type, row.mime_type),
      originalFilename: isEditor
        ? undefined
        : (unless(revision.original_filename, name) ?? undefined),
      modifiedDate:
        revision.modified_at === row.modified_at ? undefined : dateOf(revision.modified_at),
      modifiedBy: modifier === row.modifier_id ? undefined : loginOf(tables, modifier),
      replacedDate:
        revision.replaced_at === null || revision.replaced_at === next
          ? undefined
          : dateOf(revision.replaced_at),
      pinned: revision.pinned === 1 || undefined,
      published: revision.published === 1 || undefined,
      publishAuto: revision.publish_auto === 1 || undefined,
      publishedOutsideDomain: revision.published_outside_domain === 1 || undefined,
    }
  })
  const headRevisionId = row.head_revision_id ?? undefined
  const [{id, ...only}, ...others] = revisions as [SeedRevision]
  const {text, base64, path, size, source, ...rest} = only
  const isPlain = others.length === 0 && Object.values(rest).every(value => value === undefined)
  if (isPlain) return {headRevisionId: id, ...{text, base64, path, size, source}}
  return {revisions, headRevisionId: unless(headRevisionId, rows.at(-1)!.id)}
}

/** The marks that users get if the seed gives none: see `writeMarks`. */
function defaultMarks(
  tables: ItemTables,
  row: StoredFile,
  owner: number,
): ReadonlyMap<number, SeedMarks> {
  const marks = new Map<number, SeedMarks>()
  const date = dateOf(row.modified_at)
  const logins = new Map([...tables.users.values()].map(({email, id}) => [email, id]))
  for (const {type, email} of tables.permissions.get(row.id) ?? []) {
    const user = type === 'user' ? logins.get(email!) : undefined
    if (user !== undefined) marks.set(user, {sharedDate: date, sharedBy: loginOf(tables, owner)!})
  }
  const modifier = row.modifier_id
  if (modifier !== null) {
    marks.set(modifier, {...marks.get(modifier), viewedDate: date, modifiedDate: date})
  }
  return marks
}

function marksOf(
  tables: ItemTables,
  id: string,
  standard: ReadonlyMap<number, SeedMarks>,
): Readonly<Record<string, SeedMarks>> | undefined {
  const rows = new Map((tables.marks.get(id) ?? []).map(row => [row.user_id, row]))
  const entries = [...new Set([...rows.keys(), ...standard.keys()])].flatMap(userId => {
    const row = rows.get(userId)
    const login = loginOf(tables, userId)
    const marks: SeedMarks = row
      ? {
          starred: row.starred === 1 || undefined,
          viewedDate: row.viewed_at === null ? undefined : dateOf(row.viewed_at),
          modifiedDate: row.modified_at === null ? undefined : dateOf(row.modified_at),
          sharedDate: row.shared_at === null ? undefined : dateOf(row.shared_at),
          sharedBy: loginOf(tables, row.sharer_id) ?? undefined,
        }
      : {}
    const isStandard = isSameMarks(marks, standard.get(userId) ?? {})
    return login === null || isStandard ? [] : [[login, marks] as const]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

const MARKS = ['starred', 'viewedDate', 'modifiedDate', 'sharedDate', 'sharedBy'] as const

function isSameMarks(one: SeedMarks, other: SeedMarks): boolean {
  return MARKS.every(name => one[name] === other[name])
}
