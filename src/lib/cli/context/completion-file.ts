import {rm} from 'node:fs/promises'
import {join} from 'node:path'
import type {Settings} from '#lib/config/settings.js'
import {isPrintable, printable} from '#lib/platform/sanitize.js'
import {
  isFresh,
  jsonStateFormat,
  nameFromKey,
  type StateFile,
  stateFile,
} from '#lib/platform/state-file.js'
import {isObject} from '#lib/platform/values.js'

/**
 * The caches of shell completion: below the cache directory, one directory per profile with files for
 * each account. Only the user can read them. Completion works without them, but takes longer.
 */

/** A cache file of completion: a JSON object. */
export type CompletionFile = StateFile<Readonly<Record<string, unknown>>>

/** The cache file `name` of an account. `caches` is drv's cache directory, if any. */
export function completionFile(
  caches: string | undefined,
  settings: Pick<Settings, 'profile' | 'binding' | 'environmentToken' | 'tokenCommand' | 'signIn'>,
  name: string,
): CompletionFile {
  const directory = caches && directoryOf(caches, settings.profile)
  const account = nameFromKey(accountKey(settings), 32)
  return stateFile({
    file: directory && join(directory, `${name}-${account}.json`),
    ...jsonStateFormat(isObject),
    isPrivate: true,
    sync: false,
  })
}

/** Identifies an account at a service. The key may contain a token. */
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
 * A keychain may prompt the user, and drv cannot know in advance whether it will. Completion therefore
 * reads a token from it only if a command has done so recently.
 */

/** How long a keychain counts as unlocked, in milliseconds. The time is recorded again after half of that. */
const OPEN = 60 * 60_000

/** Whether a command has recently read the token of the profile from the keychain. `now` is in Unix ms. */
export async function isKeychainOpen(
  caches: string | undefined,
  settings: Settings,
  now: number,
): Promise<boolean> {
  return isFresh(openedAt(completionFile(caches, settings, 'keychain')), now, OPEN)
}

/** Records that a command has read the token from the keychain. `now` is in Unix ms. */
export async function saveKeychainState(
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

/** The IDs of the last list of each kind, which completion offers. */

/** The kinds of items whose IDs are kept. */
const LISTED = ['file', 'drive', 'permission', 'revision', 'change', 'app', 'property'] as const
export type Listed = (typeof LISTED)[number]

/** An ID from a list, with the name of its item. */
export interface ListedId {
  readonly value: string
  readonly about?: string
}

/** Maximum number of IDs kept from a list. The last ones are kept. */
const MOST = 100

/** A list that a command has printed. */
export interface ShownList {
  readonly of: Listed
  /** The file that the items belong to: its ID and the path or name in the command line. */
  readonly file?: readonly string[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

/** The kind of the items of a resource; `undefined` if completion does not offer their IDs. */
export function shownListOf(resource: string): Listed | undefined {
  if (resource === 'children' || resource === 'parents') return 'file'
  const singular = resource === 'properties' ? 'property' : resource.slice(0, -1)
  return LISTED.find(of => of === singular)
}

/** Saves the IDs and names of a list. */
export async function saveShownList(
  known: CompletionFile,
  {of, file, rows}: ShownList,
): Promise<void> {
  const ids = rows.slice(-MOST).flatMap(row => {
    const {id = row.key} = row
    if (typeof id !== 'string' || !isPrintable(id)) return []
    const name = row.title ?? row.name ?? row.emailAddress ?? row.value
    return [typeof name === 'string' ? {id, name: printable(name, 100)} : {id}]
  })
  if (ids.length > 0) await known.tryWrite({...known.read(), [of]: {file, ids}})
}

/** The IDs of the last list of a kind. Items of a file, such as revisions, are returned for that file only. */
export function listedIds(known: CompletionFile, of: Listed, file: string | undefined): ListedId[] {
  const listing = known.read()?.[of]
  if (!isObject(listing) || !Array.isArray(listing.ids)) return []
  const {file: about} = listing
  if (Array.isArray(about) && (file === undefined || !about.includes(file))) return []
  return listing.ids.filter(isObject).flatMap(({id, name}) => {
    if (typeof id !== 'string') return []
    // Otherwise drv would parse it as a flag.
    const value = id.startsWith('-') ? `id:${id}` : id
    return [typeof name === 'string' ? {value, about: name} : {value}]
  })
}
