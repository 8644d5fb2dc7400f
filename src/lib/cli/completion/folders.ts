import type {CompletionFile} from '#lib/cli/context/completion-file.js'
import {isFresh} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'
import type {Candidate} from './decide.js'

/** What is in the folders of the service, as far as it was looked up a little while ago. */

/** How long that counts, in milliseconds. */
const FRESH = 60_000

export interface Place {
  readonly id: string
  readonly title: string
  readonly isFolder: boolean
}

/** What is in a place. */
export interface Listing {
  readonly entries: readonly Place[]
  /** There is more, so that what begins with some letters is asked for by itself. */
  readonly isCut: boolean
  readonly driveId?: string
}

/** Where a word leads: the place that is looked into, and the name that is typed of what is in it. */
export interface Way {
  /** As it is typed: `/Reports/`, `drive:`, `drive:Finance/2026/`, `trash:`. */
  readonly place: string
  readonly name: string
}

/** The way that a word goes; `undefined` where it is no path yet. */
export function wayOf(text: string): Way | undefined {
  if (/^https?:/i.test(text) || text.startsWith('id:')) return undefined
  const scheme = /^(?:drive|trash|shared):/.exec(text)?.[0] ?? ''
  const end = Math.max(text.lastIndexOf('/') + 1, scheme.length)
  if (end === 0) return undefined
  return {place: text.slice(0, end), name: text.slice(end)}
}

/** The place that a folder is in, with its name there; `undefined` for the start of a way. */
export function above(place: string): Way | undefined {
  const inner = /^(.+)\/$/s.exec(place)?.[1]
  return inner === undefined ? undefined : wayOf(inner)
}

/** What is in a place, where it is known and no older than a minute; `now` is in milliseconds since 1970. */
export function knownListing(
  file: CompletionFile,
  place: string,
  now: number,
): Listing | undefined {
  const found = freshIn(file, now)[place]
  if (!found || !Array.isArray(found.entries)) return undefined
  const entries = found.entries.filter(isPlace)
  const driveId = typeof found.driveId === 'string' ? found.driveId : undefined
  return {entries, isCut: found.isCut === true, driveId}
}

/** Keeps what is in a place; what is older than a minute goes. */
export async function keepPlace(
  file: CompletionFile,
  place: string,
  listing: Listing,
  now: number,
): Promise<void> {
  await file.tryWrite({...freshIn(file, now), [place]: {...listing, at: now}})
}

/** The names in a place that begin with what is typed, as whole words. */
export function namesIn({place, name}: Way, {entries}: Pick<Listing, 'entries'>): Candidate[] {
  const fitting = entries.filter(({title}) => title.startsWith(name) && isName(title))
  const isDrives = place === 'drive:'
  return fitting.map(({title, isFolder}) => {
    const value = `${place}${title}${isFolder ? '/' : ''}`
    const about = isDrives ? 'shared drive' : isFolder ? 'folder' : 'file'
    return {value, about, isOpen: isFolder}
  })
}

/** Whether a title can stand between two slashes. */
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

function isPlace(value: unknown): value is Place {
  if (!isObject(value)) return false
  const {id, title, isFolder} = value
  return typeof id === 'string' && typeof title === 'string' && typeof isFolder === 'boolean'
}
