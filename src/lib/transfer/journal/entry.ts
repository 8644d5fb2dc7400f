import type {BigIntStats} from 'node:fs'
import type {OperationId} from '#lib/api/operations.js'
import {isObject} from '#lib/api/validate.js'

/** Journal entries of transfers in progress. */

/** Identifies one version of a local file. */
export interface Identity {
  /** Absolute path. */
  readonly path: string
  /** The folder of the tree that it belongs to. Links below it are not followed. */
  readonly root?: string
  /** Size in bytes. */
  readonly size: number
  /** Modification time, in nanoseconds since 1970. */
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
  /** The reserved ID of the new file. */
  readonly id?: string
  /** The path of the upload session; as confidential as a password. */
  readonly session?: string
  /** Number of bytes that the service had last. */
  readonly done: number
}

export interface DownloadEntry extends Common {
  readonly kind: 'download'
  readonly operation: OperationId
  /** Absolute path. */
  readonly path: string
  /** The folder of the tree that it belongs to. Links below it are not followed. */
  readonly root?: string
  readonly overwrite: boolean
  /** The partial file beside `path`. */
  readonly part: string
  /** ETag of the whole content, if known. */
  readonly etag?: string
  readonly md5?: string
  readonly size?: number
  /** Modification time, in milliseconds since 1970. */
  readonly modified?: number
}

export type JournalEntry = UploadEntry | DownloadEntry

/** The properties that identify a transfer; two commands with equal ones are the same transfer. */
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

/** Whether a value from a file is an entry. */
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

/** The identity of the file at a path. */
export function identityOf(
  path: string,
  {size, mtimeNs, ino}: BigIntStats,
  root?: string,
): Identity {
  return {path, root, size: Number(size), modified: String(mtimeNs), inode: String(ino)}
}
