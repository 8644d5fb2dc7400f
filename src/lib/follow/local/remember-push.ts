import {isDeepStrictEqual} from 'node:util'
import type {RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import {
  asideName,
  GONE,
  localContentOf,
  type LocalState,
  type TreeNode,
  versionOf,
} from '#lib/transfer/sync/tree-node.js'
import type {TreeDraft} from '#lib/transfer/sync/tree-state.js'
import type {LocalFile, RemoteEntry} from '#lib/transfer/tree/entries.js'
import type {ReservedItem} from '#lib/transfer/tree/push.js'
import {parentOf, type PushStep} from '#lib/transfer/tree/steps.js'
import type {PushDecisions} from './decide-push.js'
import {lastName, type LocalItem} from './local-item.js'

/**
 * Remembers what a round has done, in groups, because each group is one write. A pull of the same folder may have
 * learned something newer about an item since the round began; that stays, and the next round compares the item again.
 */
export interface PushMemory {
  /** Remembers items that are equal on both sides. */
  same(pairs: PushDecisions['same']): void
  /** Remembers what will replace remote content; returns when it is written. `sums`: the MD5s of the files, by path. */
  sending(replaced: PushDecisions['replaced'], sums: ReadonlyMap<string, string>): Promise<void>
  /** Remembers that other items take the places of known ones that are removed or moved; returns when it is written. */
  displaced(ids: Iterable<string>): Promise<void>
  /** Remembers what will be created; returns when it is written. */
  creating(items: readonly ReservedItem[]): Promise<void>
  /** Remembers that an item will be created under another ID; returns when it is written. */
  renewed(id: string, other: string): Promise<void>
  /** Remembers the result of a step. `result` has the ID and MD5 of uploaded content, and the ID of a new folder. */
  done(step: PushStep, result: {readonly id?: unknown; readonly md5?: unknown}): Promise<void>
  /** Remembers a remote folder that exists for a new local one. */
  found(path: string, id: string): void
  /** Remembers that known items are elsewhere or gone remotely. */
  lost(ids: Iterable<string>): void
  /** Remembers that local items no longer belong to known ones. */
  parted(ids: Iterable<string>): void
  /** Writes the rest. */
  flush(): Promise<void>
}

interface MemoryOptions {
  readonly tree: RememberedTree
  /** The IDs of the known items that the round is about. */
  readonly known: readonly string[]
  /** The local items by their files, and folders by path. */
  readonly files: ReadonlyMap<LocalFile, LocalItem>
  readonly folders: ReadonlyMap<string, LocalItem>
  /** The ID of the remote folder for a path; folders that the round creates are added. */
  readonly ids: Map<string, string>
  /** The known IDs of files that conflict with a remote one, by local path. */
  readonly conflicts: ReadonlyMap<string, string>
  /** Whether a title is that of a version that conflicts with a remote one; its local name has to follow. */
  readonly isBeside: (title: string) => boolean
}

/** Number of changes that are written together, and milliseconds in which they collect. */
const GROUP = 100
const LONGEST = 250

export function createPushMemory(options: MemoryOptions): PushMemory {
  const {tree, files, folders, ids, conflicts, isBeside} = options
  let waiting: Array<(draft: TreeDraft) => void> = []
  let writing: Promise<void> = Promise.resolve()
  let written = performance.now()

  /** What the round knows of items. */
  const seen = new Map(options.known.map(id => [id, tree.node(id)]))

  const add = (change: (draft: TreeDraft) => void) => void waiting.push(change)

  /** Changes an item, unless another process has changed it and `isResult` does not hold for what it wrote. */
  function addFor(
    id: string,
    change: (draft: TreeDraft) => void,
    isResult: (node: TreeNode) => boolean = () => false,
  ): void {
    add(draft => {
      const node = draft.node(id)
      if (!isAsSeen(node, seen.get(id)) && !(node && isResult(node))) return
      change(draft)
      seen.set(id, draft.node(id))
    })
  }

  function flush(): Promise<void> {
    const some = waiting
    waiting = []
    written = performance.now()
    // In order: the entries of a folder after the folder.
    writing = writing.then(async () => {
      if (some.length === 0) return
      await tree.update(draft => {
        for (const change of some) change(draft)
      })
    })
    return writing
  }

  /** The local place of a path; `undefined` if its folder is unknown. */
  function placeOf(path: string): Pick<LocalState, 'parent' | 'name'> | undefined {
    const parent = ids.get(parentOf(path))
    return parent === undefined ? undefined : {parent, name: lastName(path)}
  }

  function addFile(item: LocalItem, remote: RemoteEntry, md5: string | undefined): void {
    const place = placeOf(item.path)
    if (!place) return
    const version = remote.kind === 'file' ? versionOf(remote) : ''
    const file = localContentOf(item, md5, version)
    const isResult = ({remote: other}: TreeNode) =>
      other.kind === 'file' && versionOf(other) === version
    const record = (draft: TreeDraft) => {
      const before = draft.node(remote.id)
      const parent = before?.parent ?? place.parent
      const {title} = before && isResult(before) ? before.remote : remote
      const isMoved =
        before?.local?.isMoved ??
        (isBeside(remote.title) || isElsewhere(before, place, remote.title))
      draft.put({
        ...{parent, remote: {...remote, title}},
        local: {...place, file, ...(isMoved && {isMoved})},
      })
    }
    addFor(remote.id, record, isResult)
  }

  return {
    same(pairs) {
      for (const {known, item, md5, facts} of pairs) {
        addFor(known.id, draft => {
          const node = draft.node(known.id)
          if (!node?.local) return
          if (item.kind === 'folder') {
            if (node.local.inode !== item.inode) {
              draft.setLocal(known.id, {...node.local, inode: item.inode})
            }
            return
          }
          const isEqual = facts?.entry.kind === 'file' && facts.entry.md5 === md5
          const version = isEqual ? versionOf(facts.entry) : (known.version ?? '')
          // The remote state decides whether the content of an interrupted push has arrived.
          const sent = facts || known.sent === undefined ? {} : {sent: known.sent}
          const file = {...localContentOf(item, md5 ?? known.md5, version), ...sent}
          const remote = isEqual ? facts.entry : node.remote
          const now = {...node, remote, local: {...node.local, file}}
          if (!isDeepStrictEqual(now, node)) draft.put(now)
        })
      }
    },
    async sending(replaced, sums) {
      for (const {known, item, facts} of replaced) {
        const sent = sums.get(item.path)
        addFor(known.id, draft => {
          const local = draft.node(known.id)?.local
          if (!local?.file || sent === undefined) return
          const file = {...local.file, version: versionOf(facts.entry), sent}
          draft.setLocal(known.id, {...local, file})
        })
      }
      await flush()
    },
    async displaced(some) {
      for (const id of some) {
        addFor(id, draft => {
          const local = draft.node(id)?.local
          if (local) draft.setLocal(id, {...local, name: asideName(local.name, id)})
        })
      }
      await flush()
    },
    async creating(items) {
      for (const {step, id, parentId} of items) {
        const isFolder = step.action === 'folder'
        const path = isFolder ? step.path : files.get(step.local)?.path
        // A version that conflicts with a remote one has the local name of that one.
        if (path === undefined || isBeside(step.name)) continue
        const facts = isFolder ? {} : {size: step.local.size, modified: step.local.modified}
        const names = {parent: parentId, name: lastName(path), title: step.name}
        add(draft => draft.create(id, {...names, ...facts}))
      }
      await flush()
    },
    async renewed(id, other) {
      add(draft => {
        const creation = draft.creations().get(id)
        if (!creation) return
        draft.remove(id)
        draft.create(other, creation)
        for (const [one, inner] of [...draft.creations()]) {
          if (inner.parent === id) draft.create(one, {...inner, parent: other})
        }
      })
      await flush()
    },
    lost(some) {
      for (const id of some) addFor(id, draft => draft.remove(id))
    },
    found(path, id) {
      if (ids.has(path)) return
      ids.set(path, id)
      addFolder(path, {id, title: lastName(path)}, false)
    },
    parted(some) {
      for (const id of some) add(draft => draft.setLocal(id, undefined))
    },
    async done(step, {id, md5}) {
      const sum = typeof md5 === 'string' ? md5 : undefined
      if (step.action === 'folder' && typeof id === 'string') {
        ids.set(step.path, id)
        addFolder(step.path, {id, title: step.name}, true)
      } else if (step.action === 'same') {
        const item = files.get(step.local)
        if (item) addFile(item, step.remote, step.remote.md5)
      } else if (step.action === 'upload' && typeof id === 'string') {
        const item = files.get(step.local)
        const {size, modified} = step.local
        const facts = {size, modified, ...(sum !== undefined && {md5: sum})}
        const before = item && conflicts.get(item.path)
        if (before !== undefined) add(draft => draft.setLocal(before, undefined))
        if (item) addFile(item, {kind: 'file', id, title: step.name, ...facts}, sum)
      } else if (step.action === 'replace') {
        const item = files.get(step.local)
        const {size, modified} = step.local
        const remote = {...step.remote, size, modified, ...(sum !== undefined && {md5: sum})}
        if (item) addFile(item, remote, sum)
      } else if (step.action === 'move') move(step)
      else if (step.action === 'trash') {
        const {id} = step.entry
        addFor(
          id,
          draft => draft.remove(id),
          ({parent}) => parent === GONE,
        )
      }
      if (waiting.length >= GROUP || performance.now() - written >= LONGEST) await flush()
    },
    flush,
  }

  function addFolder(
    path: string,
    {id, title}: {readonly id: string; readonly title: string},
    isNew: boolean,
  ): void {
    const place = placeOf(path)
    const inode = folders.get(path)?.inode
    if (!place) return
    add(draft => {
      const before = draft.node(id)
      const {parent = place.parent, remote = {kind: 'folder', id, title}} = before ?? {}
      const isMoved = isBeside(title) || isElsewhere(before, place, title)
      const local = {...place, ...(inode !== undefined && {inode}), ...(isMoved && {isMoved})}
      draft.put({parent, remote, local})
      // A new folder has no other items, so later ones are changes. A pull may have listed it already.
      if (isNew && !draft.isListed(id)) draft.list(id, [])
    })
  }

  function move({path, entry, title = entry.title, to}: Extract<PushStep, {action: 'move'}>): void {
    const place = placeOf(path)
    if (!place) return
    const isResult = (node: TreeNode) =>
      node.remote.title === title && (!to || node.parent === place.parent)
    const record = (draft: TreeDraft) => {
      const node = draft.node(entry.id)
      if (!node) return
      const known = node.local ?? seen.get(entry.id)?.local
      const {isMoved: _, ...local}: Partial<LocalState> = known ?? {}
      const parent = to ? place.parent : node.parent
      draft.put({parent, remote: {...node.remote, title}, local: {...local, ...place}})
    }
    addFor(entry.id, record, isResult)
  }
}

/** Whether an item is as the round knows it, except that a new item may have taken its local name meanwhile. */
function isAsSeen(node: TreeNode | undefined, seen: TreeNode | undefined): boolean {
  const isNameTaken = node !== undefined && !node.local && seen?.local !== undefined
  return isDeepStrictEqual(isNameTaken ? {...node, local: seen.local} : node, seen)
}

/** Whether another machine has already renamed or moved a new item. */
function isElsewhere(
  node: TreeNode | undefined,
  {parent}: Pick<LocalState, 'parent'>,
  title: string,
): boolean {
  return (
    node !== undefined && !node.local && (node.parent !== parent || node.remote.title !== title)
  )
}
