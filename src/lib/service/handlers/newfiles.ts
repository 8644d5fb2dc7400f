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
import {type OpenFile, openFile, roleOn} from '#lib/service/store/sharing/access.js'
import {capabilitiesOf} from '#lib/service/store/sharing/capabilities.js'
import {openParent} from '#lib/service/store/tree.js'

/** Makes a file, a folder, a shortcut or an editor document, with or without content (reference: operations.md, files.insert). */
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
  const id = wishedId(call, {type, parent, convert})
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
 * Copies a file with its content, and with the fields of the body in place of its own (reference:
 * operations.md, files.copy). The copy is the caller's, or the shared drive's it is put in.
 */
export function copyFile(call: Call<'files.copy'>) {
  const {store, body, params} = call
  const source = openFile(call, params.fileId)
  if (!capabilitiesOf(store, source).canCopy) {
    throw forbidden('cannotCopyFile', `File ${source.id} cannot be copied by you.`)
  }
  const parent = openParent(call, parentIn(body) ?? placeOfCopy(call, source), 'parents')
  const type = params.convert ? editorType(source.mime_type) : source.mime_type
  const id = wishedId(call, {type, parent, convert: params.convert})
  const kept: Incoming | undefined =
    source.blob_id === null
      ? undefined
      : {blobId: source.blob_id, size: source.size ?? 0, mimeType: source.mime_type}
  const content =
    kept && type !== source.mime_type ? acceptContent(call, kept, 'editor', type) : kept
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

/** Next to the source, if the caller may put something there. */
function placeOfCopy(call: Call, source: OpenFile): string {
  const folder = source.parent_id === null ? undefined : fileById(call.store, source.parent_id)
  const role = folder && roleOn(call.store, call.user, folder, call.now)
  const fits = role && capabilitiesOf(call.store, {...folder, role}).canAddChildren
  return fits ? folder.id : 'root'
}

function wishedId(
  call: Call<'files.insert'> | Call<'files.copy'>,
  {type, parent, convert}: {type: string; parent: OpenFile; convert: boolean},
): string | undefined {
  const id = call.body.id as string | null | undefined
  if (id === undefined || id === null || id === '') return undefined
  if (convert) {
    throw invalid('A generated ID cannot be given to converted content.', 'id')
  }
  return takeGeneratedId(call, id, {kind: kindOfType(type), space: parent.space})
}

/** The editor type that converted content gets; a type that the body names must be that one. */
function editorType(from: string, named?: string): string {
  if (kindOfType(from) === 'editor') return from
  const target = convertedType(from)
  if (named === undefined || kindOfType(named) === 'binary' || named === target) return target
  throw badRequest(`Content of type ${from} becomes ${target}, not ${named}.`, 'mimeType')
}

/** What a new shortcut points to: any visible item but another shortcut. Only shortcuts have a target. */
function shortcutTarget(call: Call<'files.insert'>, type: string): OpenFile | undefined {
  const targetId = (call.body.shortcutDetails as {targetId?: string | null} | null | undefined)
    ?.targetId
  if (type !== SHORTCUT_TYPE) {
    if (!targetId) return undefined
    throw invalid(
      `Only files of type ${SHORTCUT_TYPE} have a target. Name it as mimeType.`,
      'shortcutDetails',
    )
  }
  if (!targetId) throw required('shortcutDetails.targetId')
  const target = openFile(call, targetId, undefined, 'shortcutDetails.targetId')
  if (target.mime_type !== SHORTCUT_TYPE) return target
  throw forbidden('shortcutTargetInvalid', 'A shortcut cannot point to another shortcut.')
}

/** A file without content has content of no bytes. */
function emptyContent(call: Call, mimeType: string): Incoming {
  const {id: blobId, size} = putBlob(call.store, call.now, Buffer.alloc(0))
  return {blobId, size, mimeType}
}

/** What of a source's details a copy starts with: not its locks, and not who may share it. */
function copiedDetails(source: OpenFile): FileDetails {
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
