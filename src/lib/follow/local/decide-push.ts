import {versionOf} from '#lib/transfer/sync/tree-node.js'
import type {RemoteEntry, RemoteFile} from '#lib/transfer/tree/entries.js'
import type {LocalChanges, LocalPair} from './compare-local.js'
import {isBelow, type KnownItem, type LocalItem, nameOf, parentOf} from './local-item.js'

/** Decides what local changes mean for the remote side. Pure. */

/** The current state of a remote item. */
export interface RemoteFacts {
  readonly entry: RemoteEntry
  readonly parents: readonly string[]
  readonly etag?: string
}

/** An item whose remote side is known and exists. */
interface Found extends LocalPair {
  readonly facts: RemoteFacts
}

export interface MoveDecision extends Found {
  /** Whether the local name changed. */
  readonly isRenamed: boolean
  /** Whether the local folder changed. */
  readonly isMoved: boolean
}

export interface PushDecisions {
  /** Equal items, whose local state must be recorded. */
  readonly same: ReadonlyArray<LocalPair & {readonly md5?: string; readonly facts?: RemoteFacts}>
  readonly moves: readonly MoveDecision[]
  /** Files whose remote content has not changed. */
  readonly replaced: ReadonlyArray<Found & {readonly facts: {readonly entry: RemoteFile}}>
  /** Files that changed on both sides. */
  readonly conflicts: readonly Found[]
  /** Items to upload: new ones, and changed ones that no longer exist remotely. */
  readonly uploads: readonly LocalItem[]
  /** Known items that no longer exist remotely; their records are outdated. */
  readonly lost: readonly KnownItem[]
}

/** Known items whose remote state decides; `sums` has MD5s of files that may have changed, by path. */
export function neededFacts(
  changes: Pick<LocalChanges, 'pairs'>,
  sums: ReadonlyMap<string, string>,
): string[] {
  const places = placesOf(changes.pairs)
  return changes.pairs.flatMap(pair => {
    const {isRenamed, isMoved} = movement(pair, places)
    return isRenamed || isMoved || hasNewContent(pair, sums) ? [pair.known.id] : []
  })
}

/** `facts` has the remote state of the items of `neededFacts`, except for deleted and trashed ones. */
export function decidePush(
  {pairs, appeared}: Pick<LocalChanges, 'pairs' | 'appeared'>,
  sums: ReadonlyMap<string, string>,
  facts: ReadonlyMap<string, RemoteFacts>,
): PushDecisions {
  const same: Array<PushDecisions['same'][number]> = []
  const moves: MoveDecision[] = []
  const replaced: Array<PushDecisions['replaced'][number]> = []
  const conflicts: Found[] = []
  const uploads = [...appeared]
  const lost: KnownItem[] = []
  const lostFolders: string[] = []
  const places = placesOf(pairs)
  for (const pair of pairs) {
    const {known, item} = pair
    const movement = movementOf(pair)
    const {isRenamed, isMoved} = movement
    const isNew = hasNewContent(pair, sums)
    const found = facts.get(known.id)
    const isLost = lostFolders.some(folder => isBelow(item.path, folder))
    if (isLost || (!found && (isRenamed || isMoved || isNew))) {
      lost.push(known)
      uploads.push(item)
      if (item.kind === 'folder' && !isLost) lostFolders.push(item.path)
      continue
    }
    const md5 = sums.get(item.path)
    if (!isNew)
      same.push({known, item, ...(md5 !== undefined && {md5}), ...(found && {facts: found})})
    if (!found) continue
    const one = {known, item, facts: found}
    if (isNew && isConflict(one, md5)) {
      conflicts.push(one)
      continue
    }
    if (isRenamed || isMoved) moves.push({...one, ...movement})
    if (!isNew) continue
    if (isFile(found.entry) && found.entry.md5 === md5) same.push({...one, md5: md5!})
    else replaced.push(one as (typeof replaced)[number])
  }
  return {same, moves, replaced, conflicts, uploads, lost}

  function movementOf(pair: LocalPair) {
    return movement(pair, places)
  }
}

/** Whether a known file that was deleted locally may be trashed: its remote content equals the deleted one. */
export function mayBeTrashed({version}: KnownItem, entry: RemoteEntry): boolean {
  return isFile(entry) && versionOf(entry) === version
}

/** Whether the remote content is neither the known nor the new one. */
function isConflict({known, facts}: Found, md5: string | undefined): boolean {
  const {entry} = facts
  if (!isFile(entry)) return true
  return versionOf(entry) !== known.version && entry.md5 !== md5
}

function hasNewContent({known, item}: LocalPair, sums: ReadonlyMap<string, string>): boolean {
  const md5 = sums.get(item.path)
  return item.kind === 'file' && md5 !== undefined && md5 !== known.md5
}

/** The IDs of known folders by their current paths, and by the previous ones. */
interface Places {
  readonly now: ReadonlyMap<string, string>
  readonly before: ReadonlyMap<string, string>
}

function placesOf(pairs: readonly LocalPair[]): Places {
  const folders = pairs.filter(({item}) => item.kind === 'folder')
  return {
    now: new Map(folders.map(({known, item}) => [item.path, known.id])),
    before: new Map(folders.map(({known}) => [known.path, known.id])),
  }
}

/** Whether an item has another name or another folder; an item that moved with its folder has neither. */
function movement({known, item}: LocalPair, {now, before}: Places) {
  const [from, to] = [parentOf(known.path), parentOf(item.path)]
  const [fromId, toId] = [before.get(from), now.get(to)]
  const isMoved = fromId !== undefined || toId !== undefined ? fromId !== toId : from !== to
  return {isRenamed: nameOf(known.path) !== nameOf(item.path), isMoved}
}

function isFile(entry: RemoteEntry): entry is RemoteFile {
  return entry.kind === 'file'
}
