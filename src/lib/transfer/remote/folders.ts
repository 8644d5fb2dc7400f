import {FOLDER_TYPE} from '#lib/api/wire.js'
import {BATCH_LIMIT, type BatchCall, type CallInput, type Client} from '#lib/client/client.js'
import {inGroups} from '#lib/platform/values.js'
import {
  idsFor,
  type Make,
  renewId,
  type Reserved,
  type Reserving,
  stateOf,
} from '#lib/transfer/tree/reserved-ids.js'
import type {FolderStep} from '#lib/transfer/tree/steps.js'
import {ALL_DRIVES} from './records.js'

/**
 * Finding, listing and making what is in the service lives here. Content belongs to the room above.
 * This file makes the folders of a push: those of one depth together, whatever that leaves one by one.
 */

export function byDepth(one: FolderStep, other: FolderStep): number {
  return depthOf(one) - depthOf(other)
}

function depthOf({path}: FolderStep): number {
  return path.split('/').length
}

/**
 * Makes the folders of each depth after those of the one above, a hundred with one request. Gives
 * the IDs of those that were made, by path. The others are left to `makeFolder`: those whose ID an
 * earlier run may have used, those the service refused, and all where it has no batches.
 */
export async function makeInBatches(
  client: Client,
  steps: readonly FolderStep[],
  {known, reserved, signal}: Making,
): Promise<Map<string, string>> {
  const made = new Map<string, string>()
  const idOf = (path: string) => known.get(path) ?? made.get(path)
  const depths = [...new Set(steps.map(depthOf))].sort((one, other) => one - other)
  for (const depth of depths) {
    const fresh = steps.filter(
      step =>
        depthOf(step) === depth &&
        idOf(step.parent) !== undefined &&
        !reserved.get(step.path).isOld,
    )
    for (const some of inGroups(fresh, BATCH_LIMIT)) {
      signal.throwIfAborted()
      const calls = some.map(({name: title, path, parent}) =>
        creation({id: reserved.get(path).id, title, parent: idOf(parent)!}),
      )
      const outcomes = await client.batch(calls).catch((error: unknown) => {
        signal.throwIfAborted()
        return calls.map(() => ({error}))
      })
      if (!outcomes) return made
      for (const [index, {path}] of some.entries()) {
        const {id} = reserved.take(path)
        if (!('error' in outcomes[index]!)) made.set(path, id)
      }
    }
  }
  return made
}

interface Making {
  /** IDs of the folders that are there, by path. */
  readonly known: ReadonlyMap<string, string>
  readonly reserved: {
    get(path: string): Reserved
    /** The same, for whoever uses it now. */
    take(path: string): Reserved
  }
  readonly signal: AbortSignal
}

/** The folders of a run: whoever needs one waits for it. `make` gives the ID of the new one. */
export function createFolders(
  known: ReadonlyMap<string, string>,
  make: (step: FolderStep, parent: string) => Promise<string>,
) {
  const making = new Map<string, Promise<string>>()
  async function idOf(path: string): Promise<string> {
    const id = known.get(path) ?? (await making.get(path)?.catch(noFolder(path)))
    if (id !== undefined) return id
    throw new Error(`The plan makes ${path} too late.`)
  }
  return {
    idOf,
    async make(step: FolderStep): Promise<void> {
      const made = idOf(step.parent).then(parent => make(step, parent))
      making.set(step.path, made)
      await made
    },
  }
}

const noFolder = (path: string) => (cause: unknown) => {
  throw new Error(`its folder ${path} could not be made`, {cause})
}

/** Creates a folder; where something else has its ID by now, under another one. */
export async function makeRemoteFolder(
  client: Client,
  {name: title}: FolderStep,
  parent: string,
  reservation: Reserved,
  another: () => Promise<string>,
): Promise<string> {
  const state = await stateOf(client, reservation, title, parent)
  if (typeof state === 'object') return reservation.id
  const newId = state === 'free' ? reservation.id : await another()
  const {id, input} = creation({id: newId, title, parent})
  // Another run may create it under the same ID.
  await client.call(id, {...input, mayBeDone: true})
  return newId
}

function creation(folder: NewFolder): BatchCall {
  return folderCreation(folder, {fields: 'id'})
}

/** A folder to create, under an ID reserved for it, so that no retry creates it twice. */
export interface NewFolder {
  readonly id: string
  readonly title: string
  /** The ID of the folder it is to be in. */
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
