import type {Client} from '#lib/client/client.js'
import {
  idsFor,
  type Make,
  renewId,
  type Reserving,
  stateOf,
} from '#lib/transfer/tree/reservedids.js'

/** The ID of a folder that a run needs. */
export interface SharedFolder {
  readonly id: string
  /** Another run, at the same time or earlier, has created it. */
  readonly isThere: boolean
}

/**
 * IDs for new folders, by path, an outer folder before those in it. Runs that create the same folders
 * at the same time get the same IDs, so that each folder is created once.
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
    // IDs are shared by that of the parent folder, which is another one by now.
    const hasNewParent = renewed.has(parent)
    const state = hasNewParent ? 'used' : await stateOf(client, reservation, name, parentId)
    if (state === 'used') {
      const id = hasNewParent ? undefined : reservation.id
      renewed.add(path)
      const newId = await renewId(client, {parentId, name, id}, reserving, used)
      shared.set(path, {id: newId, isThere: false})
    } else shared.set(path, {id: reservation.id, isThere: state !== 'free'})
  }
  return shared
}
