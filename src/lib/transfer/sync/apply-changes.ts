import {parentIds} from '#lib/api/reached.js'
import {isObject} from '#lib/api/validate.js'
import type {Page, ParameterTexts} from '#lib/client/client.js'
import {titleKey} from '#lib/transfer/local/names.js'
import {ALL_DRIVES, ENTRY_FIELDS, entryOf} from '#lib/transfer/remote/records.js'
import type {RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {TreeHead} from './tree-lines.js'
import type {TreeDraft} from './tree-state.js'

/** Applies remote changes to the remote side of a remembered tree. */

/** The parameters of `changes.list` for `applyChanges`, without the page token. */
export function changeParameters({driveId}: Pick<TreeHead, 'driveId'>): ParameterTexts {
  const file = `file(${ENTRY_FIELDS},labels/trashed,parents(id))`
  return {
    fields: `nextPageToken,newStartPageToken,items(type,changeType,deleted,fileId,driveId,${file})`,
    maxResults: '1000',
    includeItemsFromAllDrives: 'true',
    ...ALL_DRIVES,
    ...(driveId !== undefined && {driveId}),
  }
}

/**
 * Applies changes in order. Folders with possible transfers are no longer settled. Returns false if the changes
 * may concern the root itself or its path, so that it must be resolved and listed again; the tree is then
 * unusable.
 */
export function applyChanges(draft: TreeDraft, changes: readonly Page[]): boolean {
  const {head} = draft
  if (!head) return false
  const fixed = new Set([head.rootId, ...head.above])
  const names = new Set(head.names.flatMap(namesIn).map(titleKey))
  for (const change of changes) {
    if (change.fileId === undefined || change.changeType === 'drive' || change.type === 'drive') {
      if (change.driveId !== undefined && change.driveId === head.driveId) return false
      continue
    }
    const id = String(change.fileId)
    if (fixed.has(id)) return false
    for (const shortcut of draft.shortcutsTo(id)) unsettle(shortcut)
    const file = isObject(change.file) ? (change.file as Page) : undefined
    const isHere = file && change.deleted !== true && !isTrashed(file)
    const before = draft.node(id)?.parent
    // What an interrupted push has created is known before the rest of its folder.
    const isKnown = (parent: string) => draft.isListed(parent) || parent === before
    const homes = isHere ? parentIds(file).map(String).filter(isKnown) : []
    // Such an item has several local paths.
    if (homes.length > 1) return false
    const [parent] = homes
    if (parent !== undefined) {
      arrive(entryOf(file!), parent)
      continue
    }
    if (isHere && names.has(titleKey(String(file.title)))) return false
    unsettle(id)
    draft.leave(id)
  }
  return true

  function arrive(remote: RemoteEntry, parent: string): void {
    unsettle(remote.id)
    draft.arrive(parent, remote)
    draft.settle(parent, undefined)
  }

  /** Something may be left to transfer in the folder of a node. */
  function unsettle(id: string): void {
    const parent = draft.node(id)?.parent
    if (parent !== undefined) draft.settle(parent, undefined)
  }
}

/** A root as it was named, for `TreeHead.names`. */
export function nameOfRoot(start: unknown, names: readonly string[]): string {
  return JSON.stringify([start, names])
}

function namesIn(name: string): string[] {
  const [, names] = JSON.parse(name) as [unknown, string[]]
  return names
}

function isTrashed({labels}: Page): boolean {
  return isObject(labels) && labels.trashed === true
}
