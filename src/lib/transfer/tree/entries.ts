import type {Readable} from 'node:stream'
import type {Wait} from '#lib/client/transport/waits.js'
import type {IgnoreRules} from '#lib/transfer/local/rules.js'

/** Entries of local and remote trees, for comparing them. */

/** Number of entries that rules exclude from a folder, without the contents of excluded folders. */
export interface Excluded {
  readonly folders: number
  readonly files: number
}

export interface LocalFile {
  readonly kind: 'file'
  readonly name: string
  /** Its title in the service, if the name does not determine it. */
  readonly title?: string
  /** The path to open with `openScanned`. */
  readonly path: string
  /** The scanned folder; links below it are not followed. */
  readonly root?: string
  /** Size in bytes. */
  readonly size: number
  /** Modification time, in milliseconds since 1970. */
  readonly modified: number
  readonly inode?: number
  /** The MD5 of its content in hexadecimal, if it is known without reading it. */
  readonly md5?: string
  /** Content of unknown size that can be read only once: standard input. */
  readonly stream?: () => {readonly stream: Readable; readonly wait?: Wait}
}

export interface LocalFolder {
  readonly kind: 'folder'
  readonly name: string
  /** Its title in the service, if the name does not determine it. */
  readonly title?: string
  readonly path: string
  readonly entries: readonly LocalEntry[]
  /** Whether the folder may have more than `entries`, so that a missing entry proves nothing. */
  readonly isPartial?: boolean
  readonly leftOut?: Excluded
  /** How to read the entries, if not done yet. */
  readonly unread?: Unread
}

/** A folder of a tree that has not been read. */
export interface Unread {
  /** The root of the tree; links below it are not followed. */
  readonly root: string
  readonly rules?: IgnoreRules
  /** The names that lead to it, for rules. */
  readonly at: readonly string[]
}

/** A special file or an unreadable entry: it is never read or followed. */
export interface LocalOther {
  readonly kind: 'other'
  readonly name: string
  readonly path: string
  /** With an article: `a symbolic link`, `a device` … */
  readonly what: string
  /** Whether it should be readable but is not. */
  readonly isFault?: boolean
}

export type LocalEntry = LocalFile | LocalFolder | LocalOther

export interface RemoteFile {
  readonly kind: 'file'
  readonly id: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly created?: number
  /** Size in bytes; 0 for exports, whose size is unknown. */
  readonly size: number
  /** In hexadecimal. */
  readonly md5?: string
  /** Milliseconds since 1970. */
  readonly modified?: number
  /** The document to export, and the media type. */
  readonly exported?: {readonly type: string; readonly document: RemoteOther}
  /** The shortcut through which it was reached. */
  readonly shortcut?: RemoteOther
  readonly mimeType?: string
}

export interface RemoteFolder {
  readonly kind: 'folder'
  readonly id: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly created?: number
  /** The shared drive it is in. */
  readonly driveId?: string
  /** Missing if the folder has not been listed. */
  readonly entries?: readonly RemoteEntry[]
  readonly isPartial?: boolean
  readonly leftOut?: Excluded
  /** The shortcut through which it was reached. */
  readonly shortcut?: RemoteOther
}

/** An entry without content: a shortcut or an editor document. */
export interface RemoteOther {
  readonly kind: 'other'
  readonly id: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly created?: number
  /** `a shortcut` or `an editor document`. */
  readonly what: string
  /** The ID of a shortcut's target. */
  readonly target?: string
  /** Why it is not transferred, if there is more to say than `what`. */
  readonly reason?: string
  /** The media types in which an editor document can be exported. */
  readonly exports?: readonly string[]
  readonly mimeType?: string
  /** Milliseconds since 1970. */
  readonly modified?: number
}

export type RemoteEntry = RemoteFile | RemoteFolder | RemoteOther

/** Whether modification times are equal, within a millisecond of rounding. */
export function isSameTime(
  one: {readonly modified?: number},
  other: {readonly modified?: number},
): boolean {
  const {modified = NaN} = one
  return Math.abs(modified - (other.modified ?? NaN)) <= 1
}

/** The kind of an entry with an article: `a file`. */
export function entryKindText(entry: LocalEntry | RemoteEntry): string {
  return entry.kind === 'other' ? entry.what : `a ${entry.kind}`
}
