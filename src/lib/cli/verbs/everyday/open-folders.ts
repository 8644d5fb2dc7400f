import {FOLDER_TYPE} from '#lib/api/wire.js'
import type {Context} from '#lib/cli/context/context.js'
import {chooseAt, withPlaces} from '#lib/cli/input/names/lookups.js'
import {recordFields} from '#lib/cli/output/list-fields.js'
import type {Client, Page} from '#lib/client/client.js'
import {recordsOf} from '#lib/client/pages.js'
import type {RemotePath} from '#lib/transfer/remote/remote-path.js'
import type {Located} from '#lib/transfer/remote/resolve.js'
import {type Choose, noFolder} from '#lib/transfer/remote/resolve-error.js'
import {isInTrash, pathIn, pathOfFolder, type Place} from './remote-path.js'

/** A folder as an everyday verb looks into it. */
export interface OpenFolder {
  readonly id: string
  /** What the paths of what is in it begin with; nothing for the top of My Drive. */
  readonly path: string
  readonly driveId?: string
  /** What is in it is in the trash. */
  readonly isTrash: boolean
}

/** Where a place leads: a folder, something else by its ID, or a list that is no folder. */
export type Opened =
  | {readonly kind: 'folder'; readonly folder: OpenFolder}
  | {readonly kind: 'file'; readonly id: string; readonly path: string}
  | {readonly kind: 'list'; readonly of: 'drives' | 'trash' | 'shared'}
  | {readonly kind: 'error'; readonly error: unknown}

/**
 * Follows places, many with few requests. What is wrong with one of several stands in its place; of one
 * alone it is thrown, as is what concerns all: `CommandError`, and what requests fail with. With
 * `foldersOnly` anything else is wrong.
 */
export async function openPlaces(
  context: Context,
  places: readonly Place[],
  {foldersOnly = false} = {},
): Promise<Opened[]> {
  const named = places.flatMap(place => (place.of === 'path' ? [place.path] : []))
  const located = named.length === 0 ? [] : await locate(context, named)
  const next = located[Symbol.iterator]()
  const opened = places.map(place => open(place, foldersOnly, () => next.next().value!))
  return Promise.all(
    opened.map(async one => {
      if (one.kind !== 'error') return one
      const error = await withPlaces(() => Promise.reject(one.error)).catch(
        (reason: unknown) => reason,
      )
      if (places.length === 1) throw error
      return {kind: 'error', error} as const
    }),
  )
}

function open(place: Place, foldersOnly: boolean, nextLocated: () => Located): Opened {
  const isTrash = isInTrash(place)
  if (place.of === 'top') return {kind: 'folder', folder: {id: 'root', path: '', isTrash}}
  if (place.of !== 'path') return {kind: 'list', of: place.of}
  const located = nextLocated()
  if ('error' in located) return {kind: 'error', error: located.error}
  const {entry, driveId} = located.found
  const path = pathOfFolder(place, entry.id)
  if (entry.kind === 'folder') {
    return {kind: 'folder', folder: {id: entry.id, path, driveId, isTrash}}
  }
  if (place.path.isContents || foldersOnly)
    return {kind: 'error', error: noFolder(entry, place.text)}
  const {start, names} = place.path
  const isNamed = start.in !== 'id' || names.length > 0
  return {kind: 'file', id: entry.id, path: isNamed ? path : `id:${entry.id}`}
}

async function locate(context: Context, places: readonly RemotePath[]): Promise<Located[]> {
  const client = await context.client()
  const choose: Choose = chooseAt(context)
  if (places.length > 1) {
    const {findRemotePaths} = await import('#lib/transfer/remote/resolve.js')
    return findRemotePaths(client, places, choose)
  }
  const {findRemotePath} = await import('#lib/transfer/remote/resolve.js')
  return [{found: await withPlaces(() => findRemotePath(client, places[0]!, choose))}]
}

/** What is in a list that is no folder: its records, and the folder that their paths begin with. */
export async function recordsIn(
  client: Client,
  of: 'drives' | 'trash' | 'shared',
  fields: readonly string[],
): Promise<Page[]> {
  if (of === 'drives') return sharedDrives(client)
  const {searchParameters} = await import('#lib/transfer/remote/records.js')
  const isTrash = of === 'trash'
  const term = isTrash ? 'trashed = true' : 'sharedWithMe = true'
  const asked = recordFields(isTrash ? [...fields, 'explicitlyTrashed'] : fields)
  const params = searchParameters({terms: [term], isTrashToo: isTrash, fields: asked})
  const found: Page[] = []
  for await (const page of client.pages('files.list', {params})) found.push(...recordsOf(page))
  // What is in a folder of the trash lies below that.
  return isTrash ? found.filter(({explicitlyTrashed}) => explicitlyTrashed !== false) : found
}

/** The shared drives as the folders that they are. */
async function sharedDrives(client: Client): Promise<Page[]> {
  const params = {maxResults: '100', fields: 'nextPageToken,items(id,name,createdDate)'}
  const found: Page[] = []
  for await (const page of client.pages('drives.list', {params})) {
    for (const {id, name, createdDate} of recordsOf(page)) {
      found.push({id, title: name, mimeType: FOLDER_TYPE, modifiedDate: createdDate})
    }
  }
  return found
}

/** The path of a record of a folder. */
export function pathBelow(folder: string, {id, title}: Page): string {
  return pathIn(folder, {id: String(id), title: typeof title === 'string' ? title : String(id)})
}
