import {isKnownVersion} from '#lib/transfer/sync/tree-node.js'
import type {RemoteEntry, RemoteFile} from '#lib/transfer/tree/entries.js'
import {parentOf} from '#lib/transfer/tree/steps.js'
import type {LocalChanges, LocalPair} from './compare-local.js'
import {type KnownItem, lastName} from './local-item.js'

/** Decides what local changes mean for the remote side. Pure. */

/** A remote item as it is now. */
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
  /** Whether the name changed here. */
  readonly isRenamed: boolean
  /** Whether the folder changed here. */
  readonly isMoved: boolean
}

export interface PushDecisions {
  /** Items that are equal, whose local state has to be remembered. */
  readonly same: ReadonlyArray<LocalPair & {readonly md5?: string; readonly facts?: RemoteFacts}>
  readonly moves: readonly MoveDecision[]
  /** Files whose remote content is the one that is known. */
  readonly replaced: ReadonlyArray<Found & {readonly facts: {readonly entry: RemoteFile}}>
  /** Files that changed on both sides. */
  readonly conflicts: readonly Found[]
}

/** The IDs of known items whose remote state decides; `sums` has MD5s of files that may have changed, by path. */
export function neededFacts(
  {pairs}: Pick<LocalChanges, 'pairs'>,
  sums: ReadonlyMap<string, string>,
): string[] {
  const places = placesOf(pairs)
  return pairs.flatMap(pair => {
    const {isRenamed, isMoved} = movementOf(pair, places)
    return isRenamed || isMoved || hasNewContent(pair, sums) ? [pair.known.id] : []
  })
}

/** `facts` has the remote state of the items of `neededFacts`. */
export function decidePush(
  {pairs}: Pick<LocalChanges, 'pairs'>,
  sums: ReadonlyMap<string, string>,
  facts: ReadonlyMap<string, RemoteFacts>,
): PushDecisions {
  const same: Array<PushDecisions['same'][number]> = []
  const moves: MoveDecision[] = []
  const replaced: Array<PushDecisions['replaced'][number]> = []
  const conflicts: Found[] = []
  const places = placesOf(pairs)
  for (const {known, item} of pairs) {
    const movement = movementOf({known, item}, places)
    const isNew = hasNewContent({known, item}, sums)
    const found = facts.get(known.id)
    const md5 = sums.get(item.path)
    const content = {...(md5 !== undefined && {md5}), ...(found && {facts: found})}
    if (!isNew) same.push({known, item, ...content})
    if (!found) continue
    const one = {known, item, facts: found}
    const hasOther = hasOtherContent(one, md5)
    if (isNew && hasOther && md5 !== known.md5) {
      conflicts.push(one)
      continue
    }
    if (movement.isRenamed || movement.isMoved) moves.push({...one, ...movement})
    if (!isNew) continue
    const isEqual = isFile(found.entry) && found.entry.md5 === md5
    if (isEqual || hasOther) same.push({...one, ...content})
    else replaced.push(one as (typeof replaced)[number])
  }
  return {same, moves, replaced, conflicts}
}

/** Whether a known file that is gone here may be trashed: its remote content is the one that was here. */
export function mayBeTrashed(known: KnownItem, entry: RemoteEntry): boolean {
  return isFile(entry) && isKnownVersion(known, entry)
}

/** Whether neither the known nor the new content is the remote one. */
function hasOtherContent({known, facts}: Found, md5: string | undefined): boolean {
  const {entry} = facts
  if (!isFile(entry)) return true
  return !isKnownVersion(known, entry) && entry.md5 !== md5
}

/** Whether the remote content may have to be replaced. After an interrupted push, the service has to be asked. */
function hasNewContent({known, item}: LocalPair, sums: ReadonlyMap<string, string>): boolean {
  const md5 = sums.get(item.path)
  const isNew = md5 !== known.md5 || known.sent !== undefined
  return item.kind === 'file' && md5 !== undefined && isNew
}

/** The IDs of known folders by their paths now, and by those before. */
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

/** Whether an item has another name or another folder; one that went along with its folder has neither. */
function movementOf({known, item}: LocalPair, {now, before}: Places) {
  const [from, to] = [parentOf(known.path), parentOf(item.path)]
  const [fromId, toId] = [before.get(from), now.get(to)]
  const isMoved = fromId !== undefined || toId !== undefined ? fromId !== toId : from !== to
  return {isRenamed: lastName(known.path) !== lastName(item.path), isMoved}
}

function isFile(entry: RemoteEntry): entry is RemoteFile {
  return entry.kind === 'file'
}
