import {DEPTH_LIMIT, FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {importSource, sourceText} from '#lib/service/content/convert.js'
import {
  DEFAULT_TYPE,
  fullExtensionOf,
  IMAGE_HEADER_LIMIT,
  imageSize,
  kindOfType,
  typeByContent,
  typeByName,
} from '#lib/service/content/types.js'
import type {Blob} from '#lib/service/store/content/content.js'
import {isSmall} from '#lib/service/store/content/small.js'
import {
  fileById,
  type FileDetails,
  type FileRow,
  insertFileRow,
} from '#lib/service/store/files/files.js'
import {newFileId} from '#lib/service/store/ids.js'
import type {Store} from '#lib/service/store/index.js'
import type {User} from '#lib/service/store/users.js'
import {formerUser, requireUser} from './accounts.js'
import {contentField, storeContent} from './content.js'
import type {SeedItem} from './expand.js'
import type {SeedContent, SeedRevision} from './seed.js'
import type {SeedRun} from './seed-run.js'
import {type SeedPath, SeedProblem} from './validate.js'

/** A stored revision of an item. */
export interface LoadedRevision {
  readonly given: SeedRevision
  readonly path: SeedPath
  readonly blob: Blob
  /** The words of an editor document. */
  readonly words?: string
}

/** An item whose content is stored, but not its rows. */
export interface LoadedItem extends Omit<SeedItem, 'children'> {
  readonly mimeType: string
  readonly revisions: readonly LoadedRevision[]
  readonly thumbnail?: Blob
  readonly children: readonly LoadedItem[]
}

/** Stores the content of items before the transaction. `stored` collects it, so that it can be removed after an error. */
export async function loadItems(
  store: Store,
  items: readonly SeedItem[],
  folder: string,
  stored: Blob[],
): Promise<readonly LoadedItem[]> {
  const loaded: LoadedItem[] = []
  for (const item of items) loaded.push(await loadItem(store, item, folder, stored))
  return loaded
}

async function loadItem(
  store: Store,
  item: SeedItem,
  folder: string,
  stored: Blob[],
): Promise<LoadedItem> {
  const {file, path, kind} = item
  const named = file.mimeType ?? typeByName(file.originalFilename ?? file.title)
  if (file.mimeType !== undefined && !kindOfType(file.mimeType)) {
    throw new SeedProblem([...path, 'mimeType'], `is not supported: ${file.mimeType}`)
  }
  const load = async (content: SeedContent, at: SeedPath, key: string, type = named) => {
    const isText = type?.startsWith('text/') ?? false
    const blob = await storeContent(store, content, at, {folder, key, isText})
    if (blob) stored.push(blob)
    return blob
  }
  const revisions: LoadedRevision[] = []
  const isEditor = named !== undefined && kindOfType(named) === 'editor'
  const isImplied = file.revisions === undefined
  const single = contentField(file, path) === undefined && isEditor ? [] : [file as SeedContent]
  const given = kind === 'file' ? (file.revisions ?? single) : []
  for (const [index, each] of given.entries()) {
    const at = isImplied ? path : [...path, 'revisions', index]
    const source = isEditor ? editorSource(named, each, at) : each
    const key = `${file.id ?? file.title}/${index}`
    // Content that is missing is empty.
    const filled = contentField(source, at) === undefined ? {text: ''} : source
    const blob = (await load(filled, at, key))!
    const words = isEditor ? sourceText(named, wordsOf(blob)) : undefined
    revisions.push({given: isImplied ? {} : each, path: at, blob, words})
  }
  const {thumbnail} = file
  const image = thumbnail
    ? await load(thumbnail, [...path, 'thumbnail'], `${file.title}/thumbnail`, thumbnail.mimeType)
    : undefined
  const head = revisions.at(-1)?.blob
  const mimeType = {
    folder: FOLDER_TYPE,
    shortcut: SHORTCUT_TYPE,
    file: named ?? (head && typeByContent(startOf(store, head, 16))) ?? DEFAULT_TYPE,
  }[kind]
  const children = await loadItems(store, item.children, folder, stored)
  return {...item, mimeType, revisions, thumbnail: image, children}
}

/** Content of an editor document with its source instead of text. Throws `SeedProblem` for a type without content. */
function editorSource(type: string, content: SeedContent, path: SeedPath): SeedContent {
  const {text} = content
  if (text === undefined) return content
  const source = importSource(type, 'text/plain', text) ?? importSource(type, 'text/csv', text)
  if (source !== undefined) return {...content, text: undefined, source}
  throw new SeedProblem([...path, 'text'], `is not allowed for the type ${type}`)
}

const wordsOf = (blob: Blob): string => blob.bytes?.toString('utf8') ?? ''

/** The first bytes of content that may have no row yet. */
function startOf(store: Store, blob: Blob, limit: number): Buffer {
  return isSmall(blob.id) ? blob.bytes!.subarray(0, limit) : store.content.readAll(blob, limit)
}

/** The folder of an item, and what it inherits from it. */
export interface Place {
  readonly parentId: string
  readonly driveId: string | null
  /** The owner; in a shared drive, the default modifier. */
  readonly owner: User
  readonly space: 'drive' | 'appDataFolder'
  readonly client?: string
  readonly trashed: boolean
  readonly depth: number
}

/** An item whose row exists. */
export interface PlacedItem extends LoadedItem {
  readonly id: string
  readonly place: Place
  /** Missing for a deleted user. */
  readonly modifier?: User
  readonly modifiedAt: number
  /** It is not an item of the seed, but a root folder that its items are in. */
  readonly isRoot?: boolean
}

/** Inserts the rows of items and everything below them. Returns them, folders first. */
export function placeItems(
  run: SeedRun,
  items: readonly LoadedItem[],
  place: Place,
): readonly PlacedItem[] {
  return items.flatMap(item => {
    const placed = placeItem(run, item, place)
    const {owner, trashed} = placed.place
    const below = {...place, parentId: placed.id, owner, trashed, depth: place.depth + 1}
    return [placed, ...placeItems(run, item.children, below)]
  })
}

function placeItem(run: SeedRun, item: LoadedItem, given: Place): PlacedItem {
  const {store, now} = run
  const {file, path} = item
  const at = (name: keyof typeof file): SeedPath => [...path, name]
  if (given.depth > DEPTH_LIMIT) {
    throw new SeedProblem(path, `is nested too deeply (limit: ${DEPTH_LIMIT} levels)`)
  }
  if (file.owner !== undefined && given.driveId !== null) {
    throw new SeedProblem(at('owner'), 'is not allowed in a shared drive')
  }
  const owner = file.owner === undefined ? given.owner : requireUser(run, file.owner, at('owner'))
  const place = {...given, owner, trashed: given.trashed || file.trashed === true}
  const id = file.id ?? newFileId(store.random)
  if (file.id !== undefined) run.claim(id, at('id'))
  const createdAt = run.time(file.createdDate, at('createdDate'))
  const modifiedAt = run.time(file.modifiedDate, at('modifiedDate')) ?? createdAt ?? now
  const userIn = (name: 'modifiedBy' | 'trashedBy') => formerUser(run, file[name], at(name), owner)
  const modifier = userIn('modifiedBy')
  insertFileRow(store, {
    id,
    drive_id: place.driveId,
    owner_id: place.driveId === null ? owner.id : null,
    space: place.space,
    client_id: file.app ?? place.client ?? null,
    parent_id: place.parentId,
    inherits: Number(file.inheritsPermissions ?? true),
    title: file.title,
    mime_type: item.mimeType,
    created_at: createdAt ?? modifiedAt,
    modified_at: modifiedAt,
    modifier_id: modifier?.id ?? null,
    trashed: Number(place.trashed),
    explicitly_trashed: Number(file.trashed ?? false),
    trashed_at: file.trashed ? (run.time(file.trashedDate, at('trashedDate')) ?? now) : null,
    trasher_id: file.trashed ? (userIn('trashedBy')?.id ?? null) : null,
    // Recording the change increments it.
    version: (file.version ?? 2) - 1,
    shortcut_target_id: file.shortcutTarget ?? null,
  })
  return {...item, id, place, modifier, modifiedAt}
}

/** The details of an item. Its target may be any item of the seed. */
export function detailsFor(run: SeedRun, item: PlacedItem, head: Blob | undefined): FileDetails {
  const {file, path, mimeType, place} = item
  const lock = file.contentRestriction
  const target = file.shortcutTarget === undefined ? undefined : targetOf(run, item)
  const isBinary = kindOfType(mimeType) === 'binary'
  const image =
    file.image ??
    (head && mimeType.startsWith('image/') && head.size > 0
      ? imageSize(startOf(run.store, head, Math.min(head.size, IMAGE_HEADER_LIMIT)))
      : undefined)
  const extension = file.fullFileExtension ?? (isBinary ? fullExtensionOf(file.title) : undefined)
  return {
    description: file.description,
    folderColorRgb: file.folderColorRgb,
    copyRequiresWriterPermission: file.copyRequiresWriterPermission,
    writersCanShare: file.writersCanShare,
    contentRestriction: lock && {
      reason: lock.reason,
      ownerRestricted: lock.ownerRestricted ?? false,
      // No user has this number.
      restrictingUserId:
        formerUser(run, lock.user, [...path, 'contentRestriction', 'user'], place.owner)?.id ?? 0,
      restrictionDate: run.time(lock.date, [...path, 'contentRestriction', 'date']) ?? run.now,
    },
    clientEncryptionDetails: file.clientEncryptionDetails,
    fullFileExtension: extension === '' ? undefined : extension,
    targetMimeType: file.targetMimeType ?? target?.mime_type,
    image: image && {width: image.width, height: image.height},
    thumbnailVersion: file.thumbnailVersion ?? (item.thumbnail ? 1 : undefined),
  }
}

/** The target of a shortcut. Throws `SeedProblem` if it is missing and its type is not given. */
function targetOf({store}: SeedRun, {file, path}: PlacedItem): FileRow | undefined {
  const target = fileById(store, file.shortcutTarget!)
  if (target || file.targetMimeType !== undefined) return target
  const at = [...path, 'shortcutTarget']
  throw new SeedProblem(at, `is an unknown item: "${file.shortcutTarget}". Give the target an id`)
}
