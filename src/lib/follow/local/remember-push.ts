import type {RememberedTree} from '#lib/transfer/sync/remembered-tree.js'
import {type LocalContent, type LocalState, versionOf} from '#lib/transfer/sync/tree-node.js'
import type {TreeDraft} from '#lib/transfer/sync/tree-state.js'
import type {LocalFile, RemoteEntry} from '#lib/transfer/tree/entries.js'
import {parentOf, type PushStep} from '#lib/transfer/tree/steps.js'
import type {PushDecisions} from './decide-push.js'
import {lastName, type LocalItem} from './local-item.js'

/** Remembers what a round has done, in groups, because each group is one write. */
export interface PushMemory {
  /** Remembers items that are equal on both sides. */
  same(pairs: PushDecisions['same']): void
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

/** Number of changes that are written together. */
const GROUP = 100

export function createPushMemory(options: MemoryOptions): PushMemory {
  const {tree, files, folders, ids, conflicts, isBeside} = options
  let waiting: Array<(draft: TreeDraft) => void> = []

  const add = (change: (draft: TreeDraft) => void) => void waiting.push(change)

  async function flush(): Promise<void> {
    const some = waiting
    waiting = []
    if (some.length === 0) return
    await tree.update(draft => {
      for (const change of some) change(draft)
    })
  }

  /** The local place of a path; `undefined` if its folder is unknown. */
  function placeOf(path: string): Pick<LocalState, 'parent' | 'name'> | undefined {
    const parent = ids.get(parentOf(path))
    return parent === undefined ? undefined : {parent, name: lastName(path)}
  }

  function addFile(item: LocalItem, remote: RemoteEntry, md5: string | undefined): void {
    const place = placeOf(item.path)
    if (!place) return
    add(draft => {
      const before = draft.node(remote.id)
      const version = remote.kind === 'file' ? versionOf(remote) : ''
      const isMoved = before?.local?.isMoved ?? isBeside(remote.title)
      const local = {...place, file: contentOf(item, md5, version), ...(isMoved && {isMoved})}
      draft.put({parent: before?.parent ?? place.parent, remote, local})
    })
  }

  return {
    same(pairs) {
      for (const {known, item, md5, facts} of pairs) {
        add(draft => {
          const node = draft.node(known.id)
          if (!node?.local) return
          if (item.kind === 'folder') {
            draft.setLocal(known.id, {...node.local, inode: item.inode})
            return
          }
          const isEqual = facts?.entry.kind === 'file' && facts.entry.md5 === md5
          const version = isEqual ? versionOf(facts.entry) : (known.version ?? '')
          const file = contentOf(item, md5 ?? known.md5, version)
          const remote = isEqual ? facts.entry : node.remote
          draft.put({...node, remote, local: {...node.local, file}})
        })
      }
    },
    lost(some) {
      for (const id of some) add(draft => draft.remove(id))
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
      else if (step.action === 'trash') add(draft => draft.remove(step.entry.id))
      if (waiting.length >= GROUP) await flush()
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
      const isMoved = isBeside(title)
      const local = {...place, ...(inode !== undefined && {inode}), ...(isMoved && {isMoved})}
      const remote = draft.node(id)?.remote ?? {kind: 'folder', id, title}
      draft.put({parent: place.parent, remote, local})
      // A new folder has no other items, so later ones are changes.
      if (isNew) draft.list(id, [])
    })
  }

  function move({path, entry, title = entry.title, to}: Extract<PushStep, {action: 'move'}>): void {
    const place = placeOf(path)
    if (!place) return
    add(draft => {
      const node = draft.node(entry.id)
      if (!node) return
      const remote = {...node.remote, title}
      const parent = to ? place.parent : node.parent
      draft.put({parent, remote, local: {...node.local, ...place}})
    })
  }
}

function contentOf(item: LocalItem, md5: string | undefined, version: string): LocalContent {
  const {size, modified, inode} = item
  return {size, modified, inode, ...(md5 !== undefined && {md5}), version}
}
