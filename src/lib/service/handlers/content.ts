import type {Call, Content} from '#lib/service/call.js'
import {exportSource, exportTypes} from '#lib/service/content/convert.js'
import {requireContentScope} from '#lib/service/content/incoming.js'
import {kindOfType} from '#lib/service/content/types.js'
import {forbidden, insufficientRole, invalid, notFound} from '#lib/service/errors.js'
import {etagOf} from '#lib/service/records/common.js'
import {fileRecord} from '#lib/service/records/file.js'
import {recordChange} from '#lib/service/store/changes.js'
import {setUserFile} from '#lib/service/store/files/files.js'
import {
  type Bytes,
  findRevision,
  THUMBNAIL,
  thumbnailOf,
} from '#lib/service/store/files/revisions.js'
import {type ReachedFile, requireFile} from '#lib/service/store/sharing/access.js'
import {capabilitiesOf} from '#lib/service/store/sharing/capabilities.js'

/** Maximum size of an export, in bytes (reference: protocols.md, section 3). */
const EXPORT_LIMIT = 10 * 1024 * 1024

/** The metadata of a file, or its content with `alt=media` (reference: operations.md, files.get). */
export function getFile(call: Call<'files.get'>) {
  const {store, now, user, params} = call
  const file = requireFile(call, params.fileId)
  if (params.updateViewedDate) {
    store.write(() => {
      setUserFile(store, user.id, file.id, {viewed_at: now})
      recordChange(store, now, file.id, 'update')
    })
  }
  if (call.alt === 'media') return download(call, file)
  return fileRecord(call, params.updateViewedDate ? requireFile(call, file.id) : file)
}

/** The content of a file: the revision in `revisionId` (default: the head), or the uploaded thumbnail. Throws 403 and 404. */
function download(call: Call<'files.get'>, file: ReachedFile): Content {
  requireContentScope(call)
  const {revisionId} = call.params
  if (revisionId === THUMBNAIL) {
    requireDownload(call, file)
    const thumbnail = thumbnailOf(call.store, file.id)
    if (!thumbnail) throw notFound('Revision', THUMBNAIL, 'revisionId')
    return bytesOf(file, THUMBNAIL, thumbnail)
  }
  if (kindOfType(file.mime_type) !== 'binary') {
    throw forbidden(
      'fileNotDownloadable',
      'Only files with binary content can be downloaded. Use files.export for editor documents.',
      'alt',
    )
  }
  requireDownload(call, file)
  const isHead =
    revisionId === undefined || ['', 'head', file.head_revision_id].includes(revisionId)
  if (!isHead && !capabilitiesOf(call.store, file).canReadRevisions) {
    throw insufficientRole(file.id)
  }
  const id = isHead ? file.head_revision_id! : revisionId
  const revision = findRevision(call.store, file.id, id)
  if (!revision) throw notFound('Revision', id, 'revisionId')
  return bytesOf(file, id, revision)
}

function bytesOf(
  file: ReachedFile,
  id: string,
  {blob_id: blobId, size, md5, mime_type: mimeType}: Bytes,
): Content {
  const etag = etagOf(file.id, id, md5)
  return {content: {blobId, size}, mimeType, filename: file.title, etag}
}

/** An editor document, converted to `mimeType` (reference: operations.md, files.export). Throws 400, 403 and 404. */
export function exportFile(call: Call<'files.export'>): Content {
  const {mimeType} = call.params
  const file = requireFile(call, call.params.fileId)
  if (kindOfType(file.mime_type) !== 'editor') {
    throw forbidden(
      'fileNotExportable',
      'Only editor documents can be exported. Download other files with alt=media.',
    )
  }
  requireDownload(call, file)
  const types = exportTypes(file.mime_type)
  if (!types.includes(mimeType)) {
    const supported = types.length > 0 ? types.join(', ') : 'none'
    const words = `File ${file.id} cannot be exported to ${mimeType}. Supported types: ${supported}.`
    throw invalid(words, 'mimeType')
  }
  // An export is never much smaller than its source, so do not load a source that is too large.
  if ((file.size ?? 0) > 4 * EXPORT_LIMIT) throw tooLarge()
  const source =
    file.blob_id === null
      ? ''
      : call.store.content.readAll({id: file.blob_id, size: file.size ?? 0}).toString('utf8')
  const text = exportSource(file.mime_type, mimeType, source)!
  if (Buffer.byteLength(text) > EXPORT_LIMIT) throw tooLarge()
  return {
    content: {text},
    mimeType,
    filename: file.title,
    etag: etagOf(file.id, file.version, mimeType),
  }
}

function tooLarge() {
  const words = 'The file is too large to export (limit: 10 MiB).'
  return forbidden('exportSizeLimitExceeded', words)
}

/** Throws 403 `cannotDownloadFile` unless the caller can download the file. */
function requireDownload(call: Call, file: ReachedFile): void {
  if (capabilitiesOf(call.store, file).canDownload) return
  throw forbidden(
    'cannotDownloadFile',
    `You can view file ${file.id}, but not download it. Ask its owner for write access.`,
  )
}
