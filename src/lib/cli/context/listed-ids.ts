import {isPrintable, printable} from '#lib/platform/sanitize.js'
import {isObject} from '#lib/platform/values.js'
import type {CompletionFile} from './completion-file.js'

/** The IDs that lists showed last, by what they belong to. */

/** What IDs belong to; those of the last listing are known by it. */
const LISTED = ['file', 'drive', 'permission', 'revision', 'change', 'app', 'property'] as const
export type Listed = (typeof LISTED)[number]

/** An ID that a list showed, with what it is called. */
export interface ListedId {
  readonly value: string
  readonly about?: string
}

/** The most IDs that are kept of a list: its last ones. */
const MOST = 100

/** What a list has shown. */
export interface Listing {
  readonly of: Listed
  /** The file that it is about, in the words that named it and by its ID. */
  readonly file?: readonly string[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** What the records of a resource belong to, where completion offers their IDs. */
export function listedOf(resource: string): Listed | undefined {
  if (resource === 'children' || resource === 'parents') return 'file'
  const singular = resource === 'properties' ? 'property' : resource.slice(0, -1)
  return LISTED.find(of => of === singular)
}

/** Keeps the IDs of a list with what they are called. */
export async function keepListing(known: CompletionFile, {of, file, rows}: Listing): Promise<void> {
  const ids = rows.slice(-MOST).flatMap(row => {
    const {id = row.key} = row
    if (typeof id !== 'string' || !isPrintable(id)) return []
    const name = row.title ?? row.name ?? row.emailAddress ?? row.value
    return [typeof name === 'string' ? {id, name: printable(name, 100)} : {id}]
  })
  if (ids.length > 0) await known.tryWrite({...known.read(), [of]: {file, ids}})
}

/** The IDs that the last list showed; those of a file's own only for that very file. */
export function listedIds(known: CompletionFile, of: Listed, file: string | undefined): ListedId[] {
  const listing = known.read()?.[of]
  if (!isObject(listing) || !Array.isArray(listing.ids)) return []
  const {file: about} = listing
  if (Array.isArray(about) && (file === undefined || !about.includes(file))) return []
  return listing.ids.filter(isObject).flatMap(({id, name}) => {
    if (typeof id !== 'string') return []
    // Else it would be taken for a flag.
    const value = id.startsWith('-') ? `id:${id}` : id
    return [typeof name === 'string' ? {value, about: name} : {value}]
  })
}
