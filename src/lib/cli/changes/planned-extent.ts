import {trashQuery} from '#lib/cli/guard/impact.js'
import type {Impact, Inspector} from '#lib/cli/guard/targets.js'
import {ServiceError} from '#lib/client/errors.js'
import type {Action} from './actions.js'
import {type Change, type Extent, isPath, withRecord} from './change.js'

/** The actions whose extent a dry run shows. */
const SIZED: readonly Action[] = ['copy', 'delete', 'move', 'restore', 'trash']

const FIELDS = 'id,title,mimeType,fileSize'

/**
 * The changes with their extents, and with titles for items that were named by an ID. Sends requests only for
 * missing details, within the limits of `look`. Throws the `ServiceError` of an item that is not found.
 */
export async function withExtents(look: Inspector, changes: readonly Change[]): Promise<Change[]> {
  const unknown = changes.filter(needsRecord)
  const records = await recordsOf(look, unknown)
  const all: Change[] = []
  for (const change of changes) {
    const index = unknown.indexOf(change)
    const known = index < 0 ? change : withRecord(change, records[index])
    const {fileId, isFolder, extent, action, trashOf} = known
    const isCounted = isFolder && extent === undefined && SIZED.includes(action)
    if (trashOf !== undefined) {
      all.push({
        ...known,
        isFolder: true,
        extent: await extentOf(() => look.list(trashQuery(trashOf))),
      })
    } else if (!isCounted || fileId === undefined) all.push(known)
    else all.push({...known, extent: await extentOf(() => look.inside([fileId]))})
  }
  return all
}

function needsRecord({action, fileId, thing, isFolder, extent}: Change): boolean {
  if (fileId === undefined) return false
  if (!isPath(thing)) return true
  return SIZED.includes(action) && isFolder === undefined && extent === undefined
}

async function recordsOf(look: Inspector, changes: readonly Change[]) {
  const params = changes.map(({fileId}) => ({
    fileId: fileId!,
    supportsAllDrives: 'true',
    fields: FIELDS,
  }))
  try {
    return await look.records('files.get', params)
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) throw error
    // The dry run is still useful without these details.
    return []
  }
}

async function extentOf(find: () => Promise<Impact>): Promise<Extent> {
  const unknown = (): Impact => ({names: [], count: 0, isMore: true})
  const {count, folders = 0, bytes = 0, isMore = false} = await find().catch(unknown)
  return {files: count - folders, folders, bytes, isMore}
}
