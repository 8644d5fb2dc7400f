import type {Call} from '#lib/service/call.js'
import {kindOfType} from '#lib/service/content/types.js'
import {forbidden, insufficientRole} from '#lib/service/errors.js'
import type {Current, Plan} from '#lib/service/metadata/file.js'
import {propertyRecords} from '#lib/service/records/property.js'
import {recordAccessChange} from '#lib/service/store/changes.js'
import {forgetBlobs, putBlob} from '#lib/service/store/content/blobs.js'
import {deleteRows, findRow, insertRow} from '#lib/service/store/database/rows.js'
import type {OpenFile} from '#lib/service/store/sharing/access.js'
import {capabilitiesOf, type Capability} from '#lib/service/store/sharing/capabilities.js'
import {detailsOf, saveFile} from './files.js'
import {indexFile} from './fulltext.js'
import {removeProperty, setProperty} from './properties.js'

/** What a stored file is, for `planMetadata` to compare with. */
export function currentOf(call: Call, file: OpenFile): Current {
  return {
    kind: kindOfType(file.mime_type) ?? 'binary',
    title: file.title,
    originalFilename: file.original_filename,
    inherits: file.inherits === 1,
    inDrive: file.drive_id !== null,
    details: detailsOf(file),
    properties: propertyRecords(call, file.id),
  }
}

/** 403 unless the caller can do all of this to the file. */
export function requireCapabilities(call: Call, file: OpenFile, needs: Iterable<Capability>): void {
  const can = capabilitiesOf(call.store, file)
  const missing = [...needs].find(need => !can[need])
  if (!missing) return
  const isLocked = detailsOf(file).contentRestriction !== undefined
  if (isLocked && can.canEdit && (missing === 'canModifyContent' || missing === 'canRename')) {
    throw forbidden(
      'contentRestricted',
      `The content of file ${file.id} is locked. Lift the lock in contentRestrictions first.`,
    )
  }
  throw insufficientRole(file.id)
}

/**
 * Writes what a plan wants changed, and the text of new content for search. The rights are checked
 * before; the change is recorded by the caller.
 */
export function applyPlan(call: Call, file: OpenFile, plan: Plan, content?: string): void {
  const {store} = call
  if (plan.title !== undefined) saveFile(store, file.id, {title: plan.title})
  if (plan.originalFilename !== undefined) {
    store.run(
      `UPDATE revisions SET original_filename = :name
       WHERE file_id = :id AND id = (SELECT head_revision_id FROM files WHERE id = :id)`,
      {id: file.id, name: plan.originalFilename},
    )
  }
  if (plan.inherits !== undefined) {
    const inherits = Number(plan.inherits)
    recordAccessChange(call, file.id, ['permissions'], () => {
      saveFile(store, file.id, {inherits})
    })
  }
  if (plan.thumbnail !== undefined) applyThumbnail(call, file.id, plan)
  const details = JSON.stringify(plan.details)
  if (details !== file.details) saveFile(store, file.id, {details})
  for (const {key, value, visibility} of plan.properties) {
    const name = {fileId: file.id, key, visibility}
    if (value === null) removeProperty(call, name)
    else setProperty(call, name, value)
  }
  const describes = plan.details.description !== detailsOf(file).description
  const isFound = plan.title !== undefined || describes || plan.indexableText !== undefined
  if (isFound || content !== undefined) {
    indexFile(store, file.id, {given: plan.indexableText, content})
  }
}

function applyThumbnail(call: Call, fileId: string, {thumbnail, details}: Plan): void {
  const {store, now} = call
  const old = findRow<{blob_id: string}>(store, 'thumbnails', {file_id: fileId})
  if (thumbnail) {
    const {id: blobId} = putBlob(store, now, thumbnail.image)
    const row = {file_id: fileId, blob_id: blobId, mime_type: thumbnail.mimeType}
    insertRow(store, 'thumbnails', row, {replace: true})
    details.thumbnailVersion = (details.thumbnailVersion ?? 0) + 1
  } else {
    deleteRows(store, 'thumbnails', {file_id: fileId})
    delete details.thumbnailVersion
  }
  if (old) forgetBlobs(call, [old.blob_id])
}
