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

/** What a word of an everyday verb names. */
export type Place =
  /** All shared drives, the trash, or what others share: `drive:`, `trash:`, `shared:`. */
  | {readonly of: List; readonly text: string}
  /** The top of My Drive, which is known without a request. */
  | {readonly of: 'top'; readonly text: string}
  /** One file or folder, wherever it is. */
  | {readonly of: 'path'; readonly text: string; readonly path: RemotePath}

type List = 'drives' | 'trash' | 'shared'

const WHOLE = {drive: 'drives', trash: 'trash', shared: 'shared'} as const

/** Reads a word that names a place; a dot is the top, as a folder of its own has it. Throws `UsageError` for one that names nothing. */
export function placeIn(text: string): Place {
  if (/^\.\/?$/.test(text)) return {of: 'top', text: '/'}
  const [, whole] = /^(drive|trash|shared):\/?$/.exec(text) ?? []
  if (whole !== undefined) return {of: WHOLE[whole as keyof typeof WHOLE], text}
  const path = readRemotePath(text)
  const isTop = path.start.in === 'myDrive' && path.names.length === 0
  return isTop ? {of: 'top', text} : {of: 'path', text, path}
}

/** Whether what lies at a place is in the trash. */
export function isInTrash(place: Place): boolean {
  return place.of === 'trash' || (place.of === 'path' && place.path.start.in === 'trash')
}

/**
 * The path that what lies in a folder is named below: that of the words that named the folder, or its ID
 * where these are no path. Nothing stands for the top of My Drive, whose paths begin with a slash.
 */
export function pathOfFolder(place: Place, id: string): string {
  if (place.of === 'top') return ''
  if (place.of !== 'path') return `${place.of === 'drives' ? 'drive' : place.of}:`
  const {start, names} = place.path
  const isWritten = (start.in !== 'id' || names.length > 0) && !breaksLine(place.path.text)
  return isWritten ? place.text.replace(/^root(?=\/)/, '').replace(/\/$/, '') : id
}

/** The path of a record in a folder; `id:ID` where its title can stand in none. */
export function pathBelow(folder: string, {id, title}: Page): string {
  const name = typeof title === 'string' ? title : String(id)
  if (!isPathName(name)) return `id:${String(id)}`
  // A folder that no path names is named by its ID, and what is in it below that.
  return `${folder.replace(/^id:/, '')}${folder === 'drive:' ? '' : '/'}${name}`
}

/** A folder as an everyday verb looks into it, or a list that is none. */
export interface OpenFolder {
  /** Nothing for a list. */
  readonly id: string
  /** What the paths of what is in it begin with; nothing for the top of My Drive. */
  readonly path: string
  readonly driveId?: string
  /** What is in it is in the trash. */
  readonly isTrash: boolean
  readonly list?: List
  /** Its record, where a glob has asked for it. */
  readonly record?: Page
}

/** Which shortcuts are followed; none unless given. */
export type Follows = 'to folders' | 'to all'

/** Where a place leads: a folder or list, something else by its ID, or nowhere. */
export type Opened =
  | {readonly kind: 'folder'; readonly folder: OpenFolder}
  | {readonly kind: 'file'; readonly id: string; readonly path: string; readonly record?: Page}
  | {readonly kind: 'error'; readonly error: unknown}

/**
 * Follows places, many with few requests. What is wrong with one of several stands in its place; of one
 * alone it is thrown, as is what concerns all: `CommandError`, and what requests fail with. With
 * `foldersOnly` anything else is wrong. `follows` says which shortcuts are taken for what they lead to.
 */
export async function openPlaces(
  context: Context,
  places: readonly Place[],
  {foldersOnly = false, follows}: {foldersOnly?: boolean; follows?: Follows} = {},
): Promise<Opened[]> {
  const named = places.flatMap(place => (place.of === 'path' ? [place.path] : []))
  const found = await withExitCodes(() => locateRemotePaths(context, named))
  const located = follows ? await followed(context, found, follows) : found
  const opened = places.map((place): Opened => {
    if (place.of === 'path') return open(place, located[named.indexOf(place.path)]!, foldersOnly)
    const list = place.of === 'top' ? {id: 'root'} : {id: '', list: place.of}
    const folder = {...list, path: pathOfFolder(place, ''), isTrash: isInTrash(place)}
    return {kind: 'folder', folder}
  })
  const [one] = opened
  if (opened.length === 1 && one?.kind === 'error') throw one.error
  return opened
}

/** The same, with what shortcuts lead to in the place of those. */
async function followed(
  context: Context,
  found: readonly Located[],
  follows: Follows,
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

function open(place: Extract<Place, {of: 'path'}>, located: Located, foldersOnly: boolean): Opened {
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

/** What is in a list that is no folder; shared drives as the folders that they are. */
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
