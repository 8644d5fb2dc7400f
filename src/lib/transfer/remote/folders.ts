import {FOLDER_TYPE} from '#lib/api/wire.js'
import {type BatchCall, type CallInput, type Client} from '#lib/client/client.js'
import {
  idsFor,
  type Make,
  renewId,
  type Reserved,
  reservedIdState,
  type Reserving,
} from '#lib/transfer/tree/reserved-ids.js'
import {ALL_DRIVES} from './records.js'

/** Creates remote folders. Content belongs to the parent directory. */

/** Creates a folder; under another ID if its reserved ID is now in use. */
export async function makeRemoteFolder(
  client: Client,
  title: string,
  parent: string,
  reservation: Reserved,
  another: () => Promise<string>,
): Promise<string> {
  const state = await reservedIdState(client, reservation, {title, parent, isFolder: true})
  if (typeof state === 'object') return reservation.id
  const newId = state === 'free' ? reservation.id : await another()
  const {id, input} = folderCreation({id: newId, title, parent}, {fields: 'id'})
  // Another run may create it under the same ID.
  await client.call(id, {...input, mayBeDone: true})
  return newId
}

/** A folder to create under a reserved ID, so that no retry creates it twice. */
export interface NewFolder {
  readonly id: string
  readonly title: string
  /** The ID of its parent folder. */
  readonly parent: string
}

/** The request that creates a folder. */
export function folderCreation(
  {id, title, parent}: NewFolder,
  params: CallInput['params'] = {},
): BatchCall {
  const body = {id, title, mimeType: FOLDER_TYPE, parents: [{id: parent}]}
  return {id: 'files.insert', input: {params: {...ALL_DRIVES, ...params}, body}}
}

/** The ID of a folder that a run needs. */
export interface SharedFolder {
  readonly id: string
  /** Whether another run, concurrent or earlier, has created it. */
  readonly isThere: boolean
}

/**
 * IDs for new folders by path, outer folders first. Concurrent runs that create the same folders get the
 * same IDs, so that each folder is created once.
 */
export async function shareFolders(
  client: Client,
  makes: readonly Make[],
  reserving: Reserving,
): Promise<Map<string, SharedFolder>> {
  const reserved = await idsFor(client, makes, reserving)
  const used = new Set([...reserved.values()].map(({id}) => id))
  const shared = new Map<string, SharedFolder>()
  const renewed = new Set<string>()
  for (const {path, parent, name} of makes) {
    const parentId = shared.get(parent)?.id ?? reserving.folders.get(parent)!
    const reservation = reserved.get(path)!
    // IDs are shared by the parent's ID, which has changed.
    const hasNewParent = renewed.has(parent)
    const expected = {title: name, parent: parentId, isFolder: true}
    const state = hasNewParent ? 'used' : await reservedIdState(client, reservation, expected)
    if (state === 'used') {
      const id = hasNewParent ? undefined : reservation.id
      renewed.add(path)
      const newId = await renewId(client, {parentId, name, id}, reserving, used)
      shared.set(path, {id: newId, isThere: false})
    } else shared.set(path, {id: reservation.id, isThere: state !== 'free'})
  }
  return shared
}
