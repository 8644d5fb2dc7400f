import type {BigIntStats} from 'node:fs'
import type {OperationId} from '#lib/api/operations.js'
import {isObject} from '#lib/api/validate.js'

/** What is remembered of a transfer that is under way. */

/** What tells one state of a file from another. */
export interface Identity {
  /** Absolute. */
  readonly path: string
  /** The folder of the tree that it belongs to. No link below it is followed. */
  readonly root?: string
  /** Bytes. */
  readonly size: number
  /** Nanoseconds since 1970. */
  readonly modified: string
  readonly inode: string
}

interface Common {
  readonly profile: string
  readonly baseUrl: string
  readonly params: Readonly<Record<string, string | readonly string[]>>
}

export interface UploadEntry extends Common {
  readonly kind: 'upload'
  readonly operation: 'files.insert' | 'files.update'
  readonly body?: Readonly<Record<string, unknown>>
  readonly mimeType?: string
  readonly source: Identity
  /** The ID that the new file gets. */
  readonly id?: string
  /** Where the content goes: an address that is as good as a password. */
  readonly session?: string
  /** Bytes the service had when it was last heard of. */
  readonly done: number
}

export interface DownloadEntry extends Common {
  readonly kind: 'download'
  readonly operation: OperationId
  /** Absolute. */
  readonly path: string
  /** The folder of the tree that it belongs to. No link below it is followed. */
  readonly root?: string
  readonly overwrite: boolean
  /** The file that holds what has come, beside `path`. */
  readonly part: string
  /** Of the whole content, where the service told. */
  readonly etag?: string
  readonly md5?: string
  readonly size?: number
  /** Milliseconds since 1970. */
  readonly modified?: number
}

export type JournalEntry = UploadEntry | DownloadEntry

/** What makes two command lines the same transfer, whatever they show of it. */
export function upToSource(entry: JournalEntry): readonly unknown[] {
  const {kind, profile, baseUrl, operation, params} = entry
  const {fields: _, ...others} = params
  const common = [kind, profile, baseUrl, operation, sorted(others)]
  return entry.kind === 'upload'
    ? [...common, sorted(entry.body ?? {}), entry.mimeType ?? '', entry.source.path]
    : [...common, entry.path]
}

export function isSameSource(a: Identity, b: Identity): boolean {
  return a.path === b.path && a.size === b.size && a.modified === b.modified && a.inode === b.inode
}

/** Whether a value read from a file is an entry; one that is not is of no use and goes. */
export function isEntry(value: unknown): value is JournalEntry {
  if (!isObject(value)) return false
  const {kind, profile, baseUrl, operation, params, source, path, part} = value
  const texts = (...values: unknown[]) => values.every(text => typeof text === 'string')
  if (!texts(profile, baseUrl, operation) || !isObject(params)) return false
  if (kind === 'download') return texts(path, part)
  return kind === 'upload' && isObject(source) && texts(source.path, source.modified, source.inode)
}

function sorted(record: Readonly<Record<string, unknown>>): unknown[] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** What tells the file at a path from another, or from itself after a change. */
export function identityOf(
  path: string,
  {size, mtimeNs, ino}: BigIntStats,
  root?: string,
): Identity {
  return {path, root, size: Number(size), modified: String(mtimeNs), inode: String(ino)}
}
