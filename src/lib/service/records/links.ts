import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import {DOCUMENT_TYPE, SPREADSHEET_TYPE} from '#lib/service/content/types.js'
import {link} from './common.js'

/** The link of a folder to what is in it, as either end sees it (reference: resources.md, ChildReference and ParentReference). */

export function childReference(origin: string, folderId: string, childId: string) {
  return {
    kind: 'drive#childReference',
    id: childId,
    selfLink: link(origin, 'files', folderId, 'children', childId),
    childLink: link(origin, 'files', childId),
  }
}

/** `rootId`: the top folder of the caller's My Drive. */
export function parentReference(origin: string, fileId: string, parentId: string, rootId: string) {
  return {
    kind: 'drive#parentReference',
    id: parentId,
    selfLink: link(origin, 'files', fileId, 'parents', parentId),
    parentLink: link(origin, 'files', parentId),
    isRoot: parentId === rootId,
  }
}

/**
 * The address of a file's content. It names `revisionId` where that is not the head, and the switch
 * without which items of shared drives are not found.
 */
export function contentLink(
  origin: string,
  file: {readonly id: string; readonly drive_id: string | null},
  revisionId?: string,
): string {
  const url = new URL(link(origin, 'files', file.id))
  url.searchParams.set('alt', 'media')
  if (revisionId !== undefined) url.searchParams.set('revisionId', revisionId)
  if (file.drive_id !== null) url.searchParams.set('supportsAllDrives', 'true')
  return url.href
}

/** The addresses of an editor document in other formats, by media type. */
export function exportLinks(
  origin: string,
  fileId: string,
  types: readonly string[],
): Record<string, string> {
  const url = link(origin, 'files', fileId, 'export')
  return Object.fromEntries(
    types.map(type => [type, `${url}?mimeType=${encodeURIComponent(type)}`]),
  )
}

/** The icons of types other than images and plain files. */
const ICON_NAMES: Readonly<Record<string, string>> = {
  [FOLDER_TYPE]: 'folder',
  [SHORTCUT_TYPE]: 'shortcut',
  [DOCUMENT_TYPE]: 'document',
  [SPREADSHEET_TYPE]: 'spreadsheet',
}

/** The address of the icon for files of a type. */
export function iconLink(origin: string, mimeType: string): string {
  const name = ICON_NAMES[mimeType] ?? (mimeType.startsWith('image/') ? 'image' : 'file')
  return `${origin}/icons/${name}.svg`
}

/** The address that stands for a file in a browser. */
export function alternateLink(origin: string, fileId: string): string {
  return `${origin}/open/${encodeURIComponent(fileId)}`
}

/** The address of a page that stands for a file inside of other pages. */
export function embedLink(origin: string, fileId: string): string {
  return `${alternateLink(origin, fileId)}/preview`
}
