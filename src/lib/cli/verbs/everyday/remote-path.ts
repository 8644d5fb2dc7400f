import {readRemotePath} from '#lib/cli/input/names/lookups.js'
import {breaksLine} from '#lib/platform/sanitize.js'
import {isPathName, type RemotePath} from '#lib/transfer/remote/remote-path.js'

/** What a word of an everyday verb names. */
export type Place =
  /** All shared drives, the trash, or what others share: `drive:`, `trash:`, `shared:`. */
  | {readonly of: 'drives' | 'trash' | 'shared'; readonly text: string}
  /** The top of My Drive, which is known without a request. */
  | {readonly of: 'top'; readonly text: string}
  /** One file or folder, wherever it is. */
  | {readonly of: 'path'; readonly text: string; readonly path: RemotePath}

const WHOLE = {drive: 'drives', trash: 'trash', shared: 'shared'} as const

/** Reads a word that names a place. Throws `UsageError` for one that names nothing. */
export function placeIn(text: string): Place {
  const [, whole] = /^(drive|trash|shared):\/?$/.exec(text) ?? []
  if (whole !== undefined) return {of: WHOLE[whole as keyof typeof WHOLE], text}
  const path = readRemotePath(text)
  const isTop = path.start.in === 'myDrive' && path.names.length === 0
  return isTop ? {of: 'top', text} : {of: 'path', text, path}
}

/** Whether what lies at a place is in the trash. */
export function isInTrash(place: Place): boolean {
  return place.of === 'trash' || (place.of === 'path' && place.path.start.in === 'trash')
}

/**
 * The path that what lies in a folder is named below: that of the words that named the folder, or its ID
 * where these are no path. Nothing stands for the top of My Drive, whose paths begin with a slash.
 */
export function pathOfFolder(place: Place, id: string): string {
  if (place.of === 'top') return ''
  if (place.of !== 'path') return `${place.of === 'drives' ? 'drive' : place.of}:`
  const {start, names} = place.path
  const isWritten = (start.in !== 'id' || names.length > 0) && !breaksLine(place.path.text)
  return isWritten ? place.text.replace(/^root(?=\/)/, '').replace(/\/$/, '') : id
}

/** The path of something in a folder; `id:ID` where its title can stand in none. */
export function pathIn(
  folder: string,
  {id, title}: {readonly id: string; readonly title: string},
): string {
  if (!isPathName(title)) return `id:${id}`
  // A folder that no path names is named by its ID, and what is in it below that.
  return `${folder.replace(/^id:/, '')}${folder === 'drive:' ? '' : '/'}${title}`
}
