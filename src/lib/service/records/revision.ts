import {EDITOR_TYPE_PREFIX} from '#lib/api/wire.js'
import type {Call} from '#lib/service/call.js'
import type {FileRow} from '#lib/service/store/files/files.js'
import type {RevisionRow} from '#lib/service/store/files/revisions.js'
import {userById} from '#lib/service/store/users.js'
import {etagOf, link, present, timestamp, userRecord} from './common.js'
import {contentLink} from './links.js'

export function isEditorRevision({mime_type: type}: Pick<RevisionRow, 'mime_type'>): boolean {
  return type.startsWith(EDITOR_TYPE_PREFIX)
}

/** The Revision record (reference: resources.md, Revision): content of its own can be downloaded, an editor document's exported. */
export function revisionRecord(
  call: Pick<Call, 'store' | 'user' | 'origin'>,
  file: Pick<FileRow, 'id' | 'drive_id'>,
  row: RevisionRow,
) {
  const {id, pinned, published, publish_auto: auto, published_outside_domain: outside} = row
  const flags = [pinned, published, auto, outside]
  const modifier = row.modifier_id === null ? undefined : userById(call.store, row.modifier_id)
  return {
    kind: 'drive#revision',
    etag: etagOf('revision', file.id, id, row.blob_id, row.modified_at, flags),
    id,
    selfLink: link(call.origin, 'files', file.id, 'revisions', id),
    mimeType: row.mime_type,
    modifiedDate: timestamp(row.modified_at),
    ...(isEditorRevision(row)
      ? {published: published === 1, publishAuto: auto === 1, publishedOutsideDomain: outside === 1}
      : present({
          pinned: pinned === 1,
          downloadUrl: contentLink(call.origin, file, id),
          originalFilename: row.original_filename,
          fileSize: String(row.size),
          md5Checksum: row.md5,
        })),
    ...(modifier && {
      lastModifyingUserName: modifier.name,
      lastModifyingUser: userRecord(modifier, call),
    }),
  }
}
