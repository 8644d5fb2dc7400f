import type {CompletionFile} from '#lib/cli/context/completion-file.js'
import {isFresh} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'
import type {CompletionCandidate} from './decide.js'

/** The cache of the entries of remote folders. */

/** How long an entry of the cache is valid, in milliseconds. */
const FRESH = 60_000

export interface ListedPlace {
  readonly id: string
  readonly title: string
  readonly isFolder: boolean
}

/** The entries of a folder. */
export interface FolderListing {
  readonly entries: readonly ListedPlace[]
  /** The folder has more entries, so completion of a name needs its own request. */
  readonly isCut: boolean
  readonly driveId?: string
}

/** A remote path to complete: the folder, and the start of the name of an entry. */
export interface TypedPath {
  /** As typed: `/Reports/`, `drive:`, `drive:Finance/2026/`, `trash:`. */
  readonly place: string
  readonly name: string
}

/** Splits a word into folder and name; `undefined` if it is not a path. */
export function parseTypedPath(text: string): TypedPath | undefined {
  if (/^https?:/i.test(text) || text.startsWith('id:')) return undefined
  const scheme = /^(?:drive|trash|shared):/.exec(text)?.[0] ?? ''
  const end = Math.max(text.lastIndexOf('/') + 1, scheme.length)
  if (end === 0) return undefined
  return {place: text.slice(0, end), name: text.slice(end)}
}

/** The parent of a folder, with the name of the folder; `undefined` for a root. */
export function parentPath(place: string): TypedPath | undefined {
  const inner = /^(.+)\/$/s.exec(place)?.[1]
  return inner === undefined ? undefined : parseTypedPath(inner)
}

/** The cached entries of a folder; `undefined` if there are no entries from the last minute. `now` is in Unix ms. */
export function knownListing(
  file: CompletionFile,
  place: string,
  now: number,
): FolderListing | undefined {
  const found = freshIn(file, now)[place]
  if (!found || !Array.isArray(found.entries)) return undefined
  const entries = found.entries.filter(isPlace)
  const driveId = typeof found.driveId === 'string' ? found.driveId : undefined
  return {entries, isCut: found.isCut === true, driveId}
}

/** Caches the entries of a folder, and removes entries older than a minute. */
export async function saveListing(
  file: CompletionFile,
  place: string,
  listing: FolderListing,
  now: number,
): Promise<void> {
  await file.tryWrite({...freshIn(file, now), [place]: {...listing, at: now}})
}

/** The paths of the entries that begin with the name. */
export function matchingNames(
  {place, name}: TypedPath,
  {entries}: Pick<FolderListing, 'entries'>,
): CompletionCandidate[] {
  const fitting = entries.filter(({title}) => title.startsWith(name) && isName(title))
  const isDrives = place === 'drive:'
  return fitting.map(({title, isFolder}) => {
    const value = `${place}${title}${isFolder ? '/' : ''}`
    const about = isDrives ? 'shared drive' : isFolder ? 'folder' : 'file'
    return {value, about, isOpen: isFolder}
  })
}

/** Whether a title can be a segment of a path. */
function isName(title: string): boolean {
  return !/^\.{0,2}$/.test(title) && !title.includes('/')
}

type Fresh = Readonly<Record<string, Readonly<Record<string, unknown>>>>

function freshIn(file: CompletionFile, now: number): Fresh {
  const all = Object.entries(file.read() ?? {})
  return Object.fromEntries(
    all.filter(
      (entry): entry is [string, Record<string, unknown>] =>
        isObject(entry[1]) && isFresh(Number(entry[1].at), now, FRESH),
    ),
  )
}

function isPlace(value: unknown): value is ListedPlace {
  if (!isObject(value)) return false
  const {id, title, isFolder} = value
  return typeof id === 'string' && typeof title === 'string' && typeof isFolder === 'boolean'
}
