import {SHORTCUT_TYPE} from '#lib/api/wire.js'
import type {Call} from '#lib/service/call.js'
import {
  acceptContent,
  contentType,
  convertedType,
  type Incoming,
  namedType,
} from '#lib/service/content/incoming.js'
import {kindOfType} from '#lib/service/content/types.js'
import {badRequest, forbidden, invalid, required} from '#lib/service/errors.js'
import {createItem, parentIn} from '#lib/service/metadata/create.js'
import {titleIn} from '#lib/service/metadata/file.js'
import {present} from '#lib/service/records/common.js'
import {fileRecord} from '#lib/service/records/file.js'
import {propertyRecords} from '#lib/service/records/parts.js'
import {detailsOf, fileById, type FileDetails} from '#lib/service/store/files/files.js'
import {copyWords} from '#lib/service/store/files/fulltext.js'
import {putBlob} from '#lib/service/store/files/revisions.js'
import {takeGeneratedId} from '#lib/service/store/generated-ids.js'
import {type ReachedFile, requireFile, roleOn} from '#lib/service/store/sharing/access.js'
import {capabilitiesOf} from '#lib/service/store/sharing/capabilities.js'
import {openParent} from '#lib/service/store/tree.js'

/** Creates a file, folder, shortcut or editor document, with or without content (reference: operations.md, files.insert). */
export function insertNewFile(call: Call<'files.insert'>) {
  const {store, body, media, params} = call
  const parent = openParent(call, parentIn(body) ?? 'root', 'parents')
  const named = namedType(body.mimeType)
  const fileName = (body.originalFilename as string | null) || titleIn(body)
  const found = contentType(store, named, media, fileName)
  const convert = params.convert && media !== undefined
  const type = convert ? editorType(found, named) : (named ?? found)
  const kind = kindOfType(type)!
  const target = shortcutTarget(call, type)
  const id = requestedId(call, {type, parent, convert})
  const content: Incoming | undefined = media
    ? acceptContent(call, {...media, blobId: media.id, mimeType: found}, kind, type)
    : kind === 'binary'
      ? emptyContent(call, type)
      : undefined
  const file = createItem(call, {
    id,
    parent,
    mimeType: type,
    fields: body,
    content,
    pinned: params.pinned,
    indexAnyContent: params.useContentAsIndexableText,
    ...(target && {
      shortcutTargetId: target.id,
      details: {targetMimeType: target.mime_type},
    }),
  })
  return fileRecord(call, file)
}

/**
 * Copies a file with its content; fields of the body override those of the source (reference:
 * operations.md, files.copy). The owner of the copy is the caller, or the shared drive of its folder.
 */
export function copyFile(call: Call<'files.copy'>) {
  const {store, body, params} = call
  const source = requireFile(call, params.fileId)
  if (!capabilitiesOf(store, source).canCopy) {
    throw forbidden('cannotCopyFile', `You are not allowed to copy file ${source.id}.`)
  }
  const parent = openParent(call, parentIn(body) ?? defaultFolder(call, source), 'parents')
  const type = params.convert ? editorType(source.mime_type) : source.mime_type
  const id = requestedId(call, {type, parent, convert: params.convert})
  const original: Incoming | undefined =
    source.blob_id === null
      ? undefined
      : {blobId: source.blob_id, size: source.size ?? 0, mimeType: source.mime_type}
  const content =
    original && type !== source.mime_type ? acceptContent(call, original, 'editor', type) : original
  const file = createItem(call, {
    id,
    parent,
    mimeType: type,
    fields: {
      title: `Copy of ${source.title}`,
      originalFilename: source.original_filename,
      properties: propertyRecords(call, source.id),
      ...body,
    },
    details: copiedDetails(source),
    content,
    pinned: params.pinned,
    ...(source.shortcut_target_id !== null && {shortcutTargetId: source.shortcut_target_id}),
  })
  copyWords(store, source.id, file.id)
  return fileRecord(call, file)
}

/** The ID of the folder for a copy without `parents`: that of the source if the caller can add items to it, or else `root`. */
function defaultFolder(call: Call, source: ReachedFile): string {
  const folder = source.parent_id === null ? undefined : fileById(call.store, source.parent_id)
  const role = folder && roleOn(call.store, call.user, folder, call.now)
  const fits = role && capabilitiesOf(call.store, {...folder, role}).canAddChildren
  return fits ? folder.id : 'root'
}

/** The generated ID in the body, which it uses up; `undefined` if the body has none. Throws 400 and 409. */
function requestedId(
  call: Call<'files.insert'> | Call<'files.copy'>,
  {type, parent, convert}: {type: string; parent: ReachedFile; convert: boolean},
): string | undefined {
  const id = call.body.id as string | null | undefined
  if (id === undefined || id === null || id === '') return undefined
  if (convert) {
    throw invalid('Generated IDs are not supported for converted content. Omit id.', 'id')
  }
  return takeGeneratedId(call, id, {kind: kindOfType(type), space: parent.space})
}

/** The editor type that content converts to. Throws 400 if the body names another editor type. */
function editorType(from: string, named?: string): string {
  if (kindOfType(from) === 'editor') return from
  const target = convertedType(from)
  if (named === undefined || kindOfType(named) === 'binary' || named === target) return target
  throw badRequest(
    `Content of type ${from} is converted to ${target}, not to ${named}.`,
    'mimeType',
  )
}

/** The target of a new shortcut, `undefined` for other types. Throws 403 if the target is a shortcut, and 400 if a file of another type has a target. */
function shortcutTarget(call: Call<'files.insert'>, type: string): ReachedFile | undefined {
  const targetId = (call.body.shortcutDetails as {targetId?: string | null} | null | undefined)
    ?.targetId
  if (type !== SHORTCUT_TYPE) {
    if (!targetId) return undefined
    throw invalid(
      `Only files of type ${SHORTCUT_TYPE} can have a target. Set mimeType to this type.`,
      'shortcutDetails',
    )
  }
  if (!targetId) throw required('shortcutDetails.targetId')
  const target = requireFile(call, targetId, undefined, 'shortcutDetails.targetId')
  if (target.mime_type !== SHORTCUT_TYPE) return target
  throw forbidden('shortcutTargetInvalid', 'A shortcut cannot point to another shortcut.')
}

/** The content of a binary file that is created without any: zero bytes. */
function emptyContent(call: Call, mimeType: string): Incoming {
  const {id: blobId, size} = putBlob(call.store, call.now, Buffer.alloc(0))
  return {blobId, size, mimeType}
}

/** The details that a copy takes from its source: without content restrictions and sharing settings. */
function copiedDetails(source: ReachedFile): FileDetails {
  const {description, folderColorRgb, fullFileExtension, targetMimeType, clientEncryptionDetails} =
    detailsOf(source)
  return present({
    description,
    folderColorRgb,
    fullFileExtension,
    targetMimeType,
    clientEncryptionDetails,
  })
}
