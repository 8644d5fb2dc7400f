import {hash} from 'node:crypto'
import {FOLDER_TYPE, SHORTCUT_TYPE} from '#lib/api/wire.js'
import type {Call} from '#lib/service/call.js'
import {DOCUMENT_TYPE, SPREADSHEET_TYPE} from '#lib/service/content/types.js'
import type {User} from '#lib/service/store/users.js'

/** A time as records carry it: RFC 3339, UTC, with milliseconds (reference: resources.md, Encoding rules). */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString()
}

/** An entity tag of anything that tells two states apart, with its own quotes. */
export function etagOf(...state: readonly unknown[]): string {
  const digest = hash('sha256', JSON.stringify(state), 'base64url')
  return `"${digest.slice(0, 27)}"`
}

/** Leaves out what has no value: absent beats null in answers. */
export function present<T extends Record<string, unknown>>(record: T): Partial<T> {
  const kept: Partial<T> = {}
  // Not by way of pairs: a page of a list has thousands of records with many fields.
  for (const name of Object.keys(record) as Array<keyof T>) {
    if (record[name] !== undefined && record[name] !== null) kept[name] = record[name]
  }
  return kept
}

/** The User record of an account, as the caller sees it. */
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

/** The address of a picture that stands for a user, by the user's ID in permissions. */
export function pictureLink(origin: string, permissionId: string): string {
  return `${origin}/avatars/${encodeURIComponent(permissionId)}.svg`
}

/** The address that stands for an account in a browser. */
export function profileLink(origin: string, login: string): string {
  return `${origin}/users/${encodeURIComponent(login)}`
}

/** An address below the file service, from segments that are encoded here: `link(origin, 'files', id)`. */
export function link(origin: string, ...segments: readonly string[]): string {
  return [`${origin}/drive/v2`, ...segments.map(encodeURIComponent)].join('/')
}

/** The address of what a request asked for, with the parameters it named, but never with its token. */
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

/** The address of a file's content, or of a revision's, with the switch that items of shared drives need. */
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
