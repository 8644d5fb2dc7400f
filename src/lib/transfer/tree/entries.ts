import type {Readable} from 'node:stream'
import type {Wait} from '#lib/client/transport/waits.js'
import type {Rules} from '#lib/transfer/local/rules.js'

/** Trees as they are compared: one on this machine, one in the service. */

/** What rules left out of a folder, not counting what is in the folders among it. */
export interface LeftOut {
  readonly folders: number
  readonly files: number
}

export interface LocalFile {
  readonly kind: 'file'
  readonly name: string
  /** Its title in the service, where that is not what the name stands for. */
  readonly title?: string
  /** Where it can be opened, as `openScanned` does. */
  readonly path: string
  /** The folder that was scanned; links below it are not followed. */
  readonly root?: string
  /** Bytes. */
  readonly size: number
  /** When its content last changed, in milliseconds since 1970. */
  readonly modified: number
  /** Content that can be read only once, of a size that nobody knows before: standard input. */
  readonly stream?: () => {readonly stream: Readable; readonly wait?: Wait}
}

export interface LocalFolder {
  readonly kind: 'folder'
  readonly name: string
  /** Its title in the service, where that is not what the name stands for. */
  readonly title?: string
  readonly path: string
  readonly entries: readonly LocalEntry[]
  /** It holds more than `entries`: whatever is missing there proves nothing. */
  readonly isPartial?: boolean
  readonly leftOut?: LeftOut
  /** How to read what is in it, where nobody has. */
  readonly unread?: Unread
}

/** A folder of a tree that is still to be read. */
export interface Unread {
  /** The folder at the top of the tree; links below it are not followed. */
  readonly root: string
  readonly rules?: Rules
  /** The names on the way to it, as the rules count them. */
  readonly at: readonly string[]
}

/** What is there, but is no file or folder of its own: it is never read and never followed. */
export interface LocalOther {
  readonly kind: 'other'
  readonly name: string
  readonly path: string
  /** `a symbolic link`, `a device` … */
  readonly what: string
  /** It should have been read, and could not be. */
  readonly isFault?: boolean
}

export type LocalEntry = LocalFile | LocalFolder | LocalOther

export interface RemoteFile {
  readonly kind: 'file'
  readonly id: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly created?: number
  /** Bytes; 0 for what is exported, of which nobody knows before. */
  readonly size: number
  /** In hexadecimal. */
  readonly md5?: string
  /** Milliseconds since 1970. */
  readonly modified?: number
  /** The document that it is made from, and as what. */
  readonly exported?: {readonly type: string; readonly document: RemoteOther}
  /** The shortcut that it was reached by, which stands in its place. */
  readonly shortcut?: RemoteOther
}

export interface RemoteFolder {
  readonly kind: 'folder'
  readonly id: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly created?: number
  /** The shared drive it is in. */
  readonly driveId?: string
  /** Left out where nobody looked inside. */
  readonly entries?: readonly RemoteEntry[]
  readonly isPartial?: boolean
  readonly leftOut?: LeftOut
  /** The shortcut that it was reached by, which stands in its place. */
  readonly shortcut?: RemoteOther
}

/** What has no bytes of its own: a shortcut, an editor document. */
export interface RemoteOther {
  readonly kind: 'other'
  readonly id: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly created?: number
  /** `a shortcut`, `an editor document`. */
  readonly what: string
  /** The ID of what a shortcut leads to. */
  readonly target?: string
  /** Why it stays where it is, where there is more to say than what it is. */
  readonly reason?: string
  /** The media types in which an editor document can be had. */
  readonly exports?: readonly string[]
  /** Milliseconds since 1970. */
  readonly modified?: number
}

export type RemoteEntry = RemoteFile | RemoteFolder | RemoteOther

/** Whether two were last changed at one time: what sets a file's time may be a millisecond off. */
export function isSameTime(
  one: {readonly modified?: number},
  other: {readonly modified?: number},
): boolean {
  const {modified = NaN} = one
  return Math.abs(modified - (other.modified ?? NaN)) <= 1
}

/** What an entry is, in words: `a file`. */
export function wordFor(entry: LocalEntry | RemoteEntry): string {
  return entry.kind === 'other' ? entry.what : `a ${entry.kind}`
}
