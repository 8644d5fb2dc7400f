import {hash} from 'node:crypto'
import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import type {Call} from '#lib/service/call.js'
import {DOCUMENT_TYPE, SPREADSHEET_TYPE} from '#lib/service/content/types.js'
import {THUMBNAIL} from '#lib/service/store/files/revisions.js'
import type {User} from '#lib/service/store/users.js'

/** A time in Unix ms as RFC 3339 text in UTC with milliseconds (reference: resources.md, Encoding rules). */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString()
}

/** An entity tag with quotes: a hash of `state`, which must differ whenever the entity differs. */
export function etagOf(...state: readonly unknown[]): string {
  const digest = hash('sha256', JSON.stringify(state), 'base64url')
  return `"${digest.slice(0, 27)}"`
}

/** A copy without properties that are `null` or `undefined`: responses omit them. */
export function present<T extends Record<string, unknown>>(record: T): Partial<T> {
  const copy: Partial<T> = {}
  // Object.entries would be slower: a page has up to a thousand records with many fields.
  for (const name of Object.keys(record) as Array<keyof T>) {
    if (record[name] !== undefined && record[name] !== null) copy[name] = record[name]
  }
  return copy
}

/** The User record of an account for this caller. */
export function userRecord(user: User, {user: caller, origin}: Pick<Call, 'user' | 'origin'>) {
  return {
    kind: 'drive#user',
    displayName: user.name,
    picture: {url: pictureLink(origin, user.permission_id)},
    isAuthenticatedUser: user.id === caller.id,
    permissionId: user.permission_id,
    emailAddress: user.email,
  }
}

/** The URL of a user's avatar. */
export function pictureLink(origin: string, permissionId: string): string {
  return `${origin}/avatars/${encodeURIComponent(permissionId)}.svg`
}

/** The URL of a user's page in a browser. */
export function profileLink(origin: string, login: string): string {
  return `${origin}/users/${encodeURIComponent(login)}`
}

/** A URL below `/drive/v2`. Encodes each segment: `link(origin, 'files', id)`. */
export function link(origin: string, ...segments: readonly string[]): string {
  return [`${origin}/drive/v2`, ...segments.map(encodeURIComponent)].join('/')
}

/** The URL of a request with its query parameters, but without its token. */
export function requestLink(
  call: Pick<Call, 'origin' | 'operation' | 'params' | 'given' | 'common'>,
  ...segments: readonly string[]
): string {
  const url = new URL(link(call.origin, ...segments))
  const params = call.params as Readonly<Record<string, unknown>>
  for (const [name, {location}] of Object.entries(call.operation.parameters)) {
    if (location === 'query' && call.given.includes(name) && params[name] !== undefined) {
      url.searchParams.set(name, String(params[name]))
    }
  }
  for (const [name, text] of Object.entries(call.common)) url.searchParams.set(name, text)
  return url.href
}

/** The ChildReference record. */
export function childReference(origin: string, folderId: string, childId: string) {
  return {
    kind: 'drive#childReference',
    id: childId,
    selfLink: link(origin, 'files', folderId, 'children', childId),
    childLink: link(origin, 'files', childId),
  }
}

/** The ParentReference record. `rootId` is the root folder of the caller's My Drive. */
export function parentReference(origin: string, fileId: string, parentId: string, rootId: string) {
  return {
    kind: 'drive#parentReference',
    id: parentId,
    selfLink: link(origin, 'files', fileId, 'parents', parentId),
    parentLink: link(origin, 'files', parentId),
    isRoot: parentId === rootId,
  }
}

/** The URL of the content of a file or of a revision, with `supportsAllDrives` if the file is in a shared drive. */
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

/** The export URLs of an editor document, by media type. */
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

/** Icon names by media type. Images and other files: see `iconLink`. */
const ICON_NAMES: Readonly<Record<string, string>> = {
  [FOLDER_TYPE]: 'folder',
  [SHORTCUT_TYPE]: 'shortcut',
  [DOCUMENT_TYPE]: 'document',
  [SPREADSHEET_TYPE]: 'spreadsheet',
}

/** The URL of the icon for a media type. */
export function iconLink(origin: string, mimeType: string): string {
  const name = ICON_NAMES[mimeType] ?? (mimeType.startsWith('image/') ? 'image' : 'file')
  return `${origin}/icons/${name}.svg`
}

/** The URL of a file's page in a browser. */
export function alternateLink(origin: string, fileId: string): string {
  return `${origin}/open/${encodeURIComponent(fileId)}`
}

/** The URL that downloads the content of a file in a signed-in browser, or with a token. */
export function webContentLink(origin: string, fileId: string): string {
  return `${alternateLink(origin, fileId)}/download`
}

/** The URL of a thumbnail: an uploaded one, or the file itself if it is an image. */
export function thumbnailLink(origin: string, fileId: string, isUploaded: boolean): string {
  const query = isUploaded ? `?revisionId=${THUMBNAIL}` : ''
  return `${alternateLink(origin, fileId)}/thumbnail${query}`
}

/** The URL of a file's page for embedding in other pages. */
export function embedLink(origin: string, fileId: string): string {
  return `${alternateLink(origin, fileId)}/preview`
}
