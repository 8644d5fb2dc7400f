import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Context} from '#lib/cli/context/context.js'
import {
  locateRemotePaths,
  readRemotePath,
  withExitCode,
  withExitCodes,
} from '#lib/cli/input/names/resolver.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import type {Client, Page} from '#lib/client/client.js'
import {breaksLine} from '#lib/platform/sanitize.js'
import {drivesOf} from '#lib/transfer/remote/find-names.js'
import {isPathName, type RemotePath} from '#lib/transfer/remote/remote-path.js'
import type {Located} from '#lib/transfer/remote/resolve.js'
import {noFolder, ResolveError} from '#lib/transfer/remote/resolve-error.js'
import {followShortcut, followToFolder} from '#lib/transfer/remote/shortcuts.js'

/** A PATH argument of an everyday verb. */
export type RemoteTarget =
  /** All shared drives, the trash, or the files that others share: `drive:`, `trash:`, `shared:`. */
  | {readonly of: List; readonly text: string}
  /** The root of My Drive, which needs no request to resolve. */
  | {readonly of: 'top'; readonly text: string}
  /** One file or folder. */
  | {readonly of: 'path'; readonly text: string; readonly path: RemotePath}

type List = 'drives' | 'trash' | 'shared'

const WHOLE = {drive: 'drives', trash: 'trash', shared: 'shared'} as const

/** Parses a PATH argument; `.` is My Drive. Throws `UsageError` for an invalid one. */
export function parseRemoteTarget(text: string): RemoteTarget {
  if (/^\.\/?$/.test(text)) return {of: 'top', text: '/'}
  const [, whole] = /^(drive|trash|shared):\/?$/.exec(text) ?? []
  if (whole !== undefined) return {of: WHOLE[whole as keyof typeof WHOLE], text}
  const path = readRemotePath(text)
  const isTop = path.start.in === 'myDrive' && path.names.length === 0
  return isTop ? {of: 'top', text} : {of: 'path', text, path}
}

/** Whether a place is the trash or in the trash. */
export function isInTrash(place: RemoteTarget): boolean {
  return place.of === 'trash' || (place.of === 'path' && place.path.start.in === 'trash')
}

/**
 * The prefix of the paths in a folder: the path as typed, or the folder's ID if it was not typed as a path.
 * Empty for the root of My Drive, whose paths begin with a slash.
 */
export function pathOfFolder(place: RemoteTarget, id: string): string {
  if (place.of === 'top') return ''
  if (place.of !== 'path') return `${place.of === 'drives' ? 'drive' : place.of}:`
  const {start, names} = place.path
  const isWritten = (start.in !== 'id' || names.length > 0) && !breaksLine(place.path.text)
  return isWritten ? place.text.replace(/^root(?=\/)/, '').replace(/\/$/, '') : id
}

/** The path of a record in a folder; `id:ID` if its title cannot be part of a path. */
export function recordPath(folder: string, {id, title}: Page): string {
  const name = typeof title === 'string' ? title : String(id)
  if (!isPathName(name)) return `id:${String(id)}`
  // Paths in a folder that has no path itself begin with its ID.
  return `${folder.replace(/^id:/, '')}${folder === 'drive:' ? '' : '/'}${name}`
}

/** A folder to list, or a list that is not a folder, such as the trash. */
export interface OpenFolder {
  /** Empty for a list. */
  readonly id: string
  /** The prefix of the paths of its contents; empty for the root of My Drive. */
  readonly path: string
  readonly driveId?: string
  /** Whether its contents are in the trash. */
  readonly isTrash: boolean
  readonly list?: List
  /** Its record, if a glob has requested it already. */
  readonly record?: Page
}

/** Which shortcuts are followed (default: none). */
export type FollowShortcuts = 'to folders' | 'to all'

/** A resolved place: a folder or list, a file, or an error. */
export type OpenedTarget =
  | {readonly kind: 'folder'; readonly folder: OpenFolder}
  | {readonly kind: 'file'; readonly id: string; readonly path: string; readonly record?: Page}
  | {readonly kind: 'error'; readonly error: unknown}

/**
 * Resolves places, together to save requests. With `foldersOnly`, a file is an error. If one of several places
 * fails, its error takes its place; the error of a single place is thrown, as are errors that concern all of
 * them (`CommandError`, and the errors of requests).
 */
export async function openPlaces(
  context: Context,
  places: readonly RemoteTarget[],
  {foldersOnly = false, follows}: {foldersOnly?: boolean; follows?: FollowShortcuts} = {},
): Promise<OpenedTarget[]> {
  const named = places.flatMap(place => (place.of === 'path' ? [place.path] : []))
  const found = await withExitCodes(() => locateRemotePaths(context, named))
  const located = follows ? await followed(context, found, follows) : found
  const opened = places.map((place): OpenedTarget => {
    if (place.of === 'path') return open(place, located[named.indexOf(place.path)]!, foldersOnly)
    const list = place.of === 'top' ? {id: 'root'} : {id: '', list: place.of}
    const folder = {...list, path: pathOfFolder(place, ''), isTrash: isInTrash(place)}
    return {kind: 'folder', folder}
  })
  const [one] = opened
  if (opened.length === 1 && one?.kind === 'error') throw one.error
  return opened
}

/** The same items, with shortcuts replaced by their targets. */
async function followed(
  context: Context,
  found: readonly Located[],
  follows: FollowShortcuts,
): Promise<Located[]> {
  const client = await context.client()
  return Promise.all(
    found.map(async (located): Promise<Located> => {
      if ('error' in located) return located
      const {found} = located
      if (follows === 'to folders') return {found: await followToFolder(client, found)}
      try {
        return {found: await followShortcut(client, found, found.entry.title)}
      } catch (error) {
        if (error instanceof ResolveError) return {error}
        throw error
      }
    }),
  )
}

function open(
  place: Extract<RemoteTarget, {of: 'path'}>,
  located: Located,
  foldersOnly: boolean,
): OpenedTarget {
  if ('error' in located) return {kind: 'error', error: withExitCode(located.error)}
  const {entry, driveId, record} = located.found
  const path = pathOfFolder(place, entry.id)
  if (entry.kind === 'folder') {
    const folder = {id: entry.id, path, driveId, isTrash: isInTrash(place), record}
    return {kind: 'folder', folder}
  }
  const {start, names, isContents} = place.path
  if (isContents || foldersOnly) {
    return {kind: 'error', error: withExitCode(noFolder(entry, place.text))}
  }
  const isNamed = start.in !== 'id' || names.length > 0
  return {kind: 'file', id: entry.id, path: isNamed ? path : `id:${entry.id}`, record}
}

/** The records in a list that is not a folder; shared drives are returned as folders. */
export async function recordsIn(
  client: Client,
  list: List,
  fields: readonly string[],
): Promise<Page[]> {
  if (list === 'drives') {
    const drives = await drivesOf(client)
    return drives.map(({id, name, createdDate}) => ({
      id,
      title: name,
      mimeType: FOLDER_TYPE,
      modifiedDate: createdDate,
    }))
  }
  const {recordsElsewhere} = await import('#lib/transfer/remote/path-globs.js')
  return recordsElsewhere(client, list, recordFields(fields))
}
