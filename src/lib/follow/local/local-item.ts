import {PART, targetOfPart} from '#lib/transfer/target.js'
import type {LocalFile} from '#lib/transfer/tree/entries.js'
import {joinPath, parentOf} from '#lib/transfer/tree/steps.js'

/** A file or folder of a followed tree, as it is on this machine. */
export interface LocalItem {
  /** Relative to the followed folder, with `/`. */
  readonly path: string
  readonly kind: 'file' | 'folder'
  /** The file to upload; missing for folders. */
  readonly entry?: LocalFile
  readonly inode: number
  /** Size in bytes; 0 for folders. */
  readonly size: number
  /** Modification time, in milliseconds since 1970; 0 for folders. */
  readonly modified: number
}

/** A file or folder in the state in which both sides were equal. */
export interface KnownItem {
  /** Relative to the followed folder, with `/`. */
  readonly path: string
  readonly id: string
  readonly kind: 'file' | 'folder'
  /** In hexadecimal; missing for folders. */
  readonly md5?: string
  /** Size in bytes. */
  readonly size?: number
  /** Modification time of the local file, in milliseconds since 1970. */
  readonly mtime?: number
  readonly inode?: number
  /** The version of the equal remote content (`versionOf`). */
  readonly version?: string
  /** The MD5 of content that a push was sending, which may be the remote one. */
  readonly sent?: string
  /** Whether its content comes from another format, such as an editor document, and is never uploaded. */
  readonly isCopy?: boolean
}

/** Whether a path is one of some folders or in one. The top is in none. */
export function isWithin(path: string, folders: ReadonlySet<string>): boolean {
  for (let at = path; at !== ''; at = parentOf(at)) if (folders.has(at)) return true
  return false
}

/** The last name of a path. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A known path as it is shown: items that lost their places have the names that they had. */
export function shownPath(path: string): string {
  return path.includes(PART) ? path.split('/').map(targetOfPart).join('/') : path
}

/** The path of something below `from` after that folder was moved to `to`. */
export function movedPath(path: string, from: string, to: string): string {
  return joinPath(to, path.slice(from.length + 1))
}

/** A summary of the state of a path, for detecting whether it has settled; '' if it does not exist. */
export function markOf(item: LocalItem | undefined): string {
  return item ? [item.kind, item.inode, item.size, item.modified].join(' ') : ''
}
