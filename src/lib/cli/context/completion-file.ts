import {rm} from 'node:fs/promises'
import {join} from 'node:path'
import type {Settings} from '#lib/config/settings.js'
import {isPrintable, printable} from '#lib/platform/sanitize.js'
import {
  isFresh,
  jsonFormat,
  nameFromKey,
  type StateFile,
  stateFile,
} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'

/**
 * What completion keeps for a while, below the cache directory: a directory a profile, in it files for
 * each account. Only the user can read them; without them everything works, and takes longer.
 */

/** A cache of completion, a record by names. */
export type CompletionFile = StateFile<Readonly<Record<string, unknown>>>

/** The file `name` of an account; `caches` is drv's cache directory, where there is one. */
export function completionFile(
  caches: string | undefined,
  settings: Pick<Settings, 'profile' | 'binding' | 'environmentToken' | 'tokenCommand' | 'signIn'>,
  name: string,
): CompletionFile {
  const directory = caches && directoryOf(caches, settings.profile)
  const account = nameFromKey(accountKey(settings), 32)
  return stateFile({
    file: directory && join(directory, `${name}-${account}.json`),
    ...jsonFormat(isObject),
    isPrivate: true,
    sync: false,
  })
}

/** What tells one account at a service from another; it may hold a token. */
export function accountKey({
  binding,
  environmentToken,
  tokenCommand,
  signIn,
}: Pick<Settings, 'binding' | 'environmentToken' | 'tokenCommand' | 'signIn'>): readonly string[] {
  return [
    binding,
    environmentToken ?? tokenCommand ?? signIn?.user?.id ?? signIn?.user?.login ?? '',
  ]
}

/** Removes all completion files of a profile. */
export async function removeCompletionFiles(
  caches: string | undefined,
  profile: string,
): Promise<void> {
  if (caches === undefined) return
  await rm(directoryOf(caches, profile), {recursive: true, force: true}).catch(() => undefined)
}

function directoryOf(caches: string, profile: string): string {
  return join(caches, 'completion', nameFromKey([profile], 32))
}

/**
 * Whether the keychain answers without asking a person something: nobody can tell beforehand, so a Tab
 * asks it only where a command has got its token from it a little while ago.
 */

/** How long a keychain is taken to be open, in milliseconds; it is noted anew after half of that. */
const OPEN = 60 * 60_000

/** Whether a command has got the token of a profile from the keychain; `now` is in milliseconds since 1970. */
export async function isKeychainOpen(
  caches: string | undefined,
  settings: Settings,
  now: number,
): Promise<boolean> {
  return isFresh(openedAt(completionFile(caches, settings, 'keychain')), now, OPEN)
}

/** Notes that the keychain has given the token. */
export async function noteKeychain(
  caches: string | undefined,
  settings: Settings,
  now: number,
): Promise<void> {
  const file = completionFile(caches, settings, 'keychain')
  if (!isFresh(openedAt(file), now, OPEN / 2)) await file.tryWrite({at: now})
}

function openedAt(file: CompletionFile): number {
  return Number(file.read()?.at)
}

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
