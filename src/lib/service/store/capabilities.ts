import {FOLDER_TYPE} from '../../api/wire.js'
import {atLeast, type OpenFile} from './access.js'
import {detailsOf} from './files.js'
import type {Store} from './index.js'

/**
 * What the caller may do with an item: the one place that decides, for the File record's
 * `capabilities` and for every refusal alike (reference: resources.md, protocols.md sections 10-12).
 */
export function capabilitiesOf(_store: Store, file: OpenFile) {
  const {role} = file
  const details = detailsOf(file)
  const inDrive = file.drive_id !== null
  const isFolder = file.mime_type === FOLDER_TYPE
  const isTop = file.parent_id === null
  const canWrite = atLeast(role, 'writer')
  const readOnly = (details.contentRestrictions ?? []).some(
    restriction => (restriction as {readOnly?: boolean}).readOnly,
  )
  const canManage = inDrive ? atLeast(role, 'fileOrganizer') : role === 'owner'
  const canDownload = !details.copyRequiresWriterPermission || canWrite
  const canTrash = canManage && !isTop
  return {
    canAcceptOwnership: false,
    canAddChildren: isFolder && canWrite,
    canChangeCopyRequiresWriterPermission: canWrite,
    canComment: atLeast(role, 'commenter') && !readOnly,
    canCopy: !isFolder && canDownload,
    canDelete: (inDrive ? atLeast(role, 'organizer') : role === 'owner') && !isTop,
    canDeleteChildren: isFolder && inDrive && atLeast(role, 'organizer'),
    canDownload: !isFolder && canDownload,
    canEdit: canWrite && !readOnly,
    canListChildren: isFolder,
    canModifyContent: canWrite && !readOnly,
    canModifyContentRestriction: canWrite,
    canModifyLabels: canWrite,
    canMoveItemWithinDrive: canWrite && !isTop,
    canMoveItemOutOfDrive: canManage && !isTop,
    canMoveChildrenWithinDrive: isFolder && canWrite,
    canReadDrive: inDrive,
    canReadLabels: true,
    canReadRevisions: canWrite,
    canRemoveChildren: isFolder && canWrite,
    canRename: canWrite && !readOnly && !isTop,
    canShare: inDrive
      ? atLeast(role, 'fileOrganizer')
      : role === 'owner' || (canWrite && details.writersCanShare !== false),
    canTrash,
    canTrashChildren: isFolder && inDrive && atLeast(role, 'fileOrganizer'),
    canUntrash: canTrash && file.explicitly_trashed === 1,
  } as const
}

export type Capability = keyof ReturnType<typeof capabilitiesOf>
