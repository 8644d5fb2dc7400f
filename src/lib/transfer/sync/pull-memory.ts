import {basename, join} from 'node:path'
import type {Client} from '#lib/client/client.js'
import {localFacts} from '#lib/transfer/local/local-facts.js'
import {byTitle, listEach} from '#lib/transfer/remote/listing.js'
import {
  isSameTime,
  type RemoteEntry,
  type RemoteFile,
  type RemoteFolder,
} from '#lib/transfer/tree/entries.js'
import type {PullPlan} from '#lib/transfer/tree/pull-plan.js'
import type {PullMemory, PullPiece} from '#lib/transfer/tree/pull-tree.js'
import {parentOf, type PullStep} from '#lib/transfer/tree/steps.js'
import {finishListing, withoutDrive} from './list-tree.js'
import {createListedTwice} from './listed-twice.js'
import {forgetRemovals} from './open-removals.js'
import type {RememberedTree} from './remembered-tree.js'
import type {TreeHead} from './tree-lines.js'
import {
  isAside,
  isAsRemembered,
  isToMove,
  type LocalContent,
  localContentOf,
  versionOf,
} from './tree-node.js'
import {createTreeNotes} from './tree-notes.js'
import {nodeOf, type TreeDraft} from './tree-state.js'

/** What a pull reads from a remembered tree, and writes to it. */
export interface TreeMemory extends PullMemory {
  /** Notes the steps of a piece before they run. */
  expect(piece: Pick<PullPiece, 'steps'>): Promise<void>
  /** Notes that a file was downloaded, or was there already. */
  saved(step: Extract<PullStep, {readonly action: 'download' | 'replace'}>): void
  /** Notes that a folder was created, or was there already. */
  made(path: string): void
  /** Writes what is left after the last step. */
  finish(): Promise<void>
}

interface MemoryOptions {
  readonly tree: RememberedTree
  readonly client: Client
  readonly signal: AbortSignal
  /** The folder that step paths are relative to. */
  readonly root: string
  /** The path of the tree below it; '' if it is the tree. */
  readonly prefix: string
  /** Identifies the options that the plan depends on. */
  readonly digest: string
  /** The state after all folders have been listed; missing if changes have been applied to a tree instead. */
  readonly listing?: {readonly head: TreeHead; readonly entries?: readonly RemoteEntry[]}
  /** Changes the plan of a folder before it is noted. */
  readonly change?: (plan: PullPlan) => PullPlan
  /** Folders that need no plan. */
  readonly isSettled?: (folderId: string) => boolean
  /** Whether something is left to do in a folder after all transfers. */
  readonly isOpen?: (draft: TreeDraft, folderId: string) => boolean
}

/** A planned folder. */
interface Folder {
  readonly id: string
  /** Whether something will be left to do after this run. */
  isOpen: boolean
  /** The paths of files and folders that are not here yet. */
  readonly pending: Set<string>
}

/**
 * The memory for one pull. Each listed folder is written to the tree at once, and local states soon after the
 * file has its name. An item with several paths, such as the content of a shortcut to a folder, cannot be
 * remembered: the tree is then forgotten.
 */
export async function createPullMemory(options: MemoryOptions): Promise<TreeMemory> {
  const {tree, client, signal, root, prefix, digest, listing, isSettled = () => false} = options
  const folders = new Map<string, Folder>()
  /** Folders that do not exist here yet, by path. They are not known before, because a push would take them for removed. */
  const missing = new Map<string, {readonly id: string; readonly parent: string}>()
  const notes = createTreeNotes(tree)
  const listedTwice = createListedTwice()

  const rootId = listing ? listing.head.rootId : tree.head!.rootId
  const driveId = (listing?.head ?? tree.head!).driveId
  await notes.write([
    draft => {
      if (!listing) return
      if (draft.head?.rootId !== rootId) draft.clear()
      const {token: _, ...head} = listing.head
      draft.unlistAll()
      draft.setHead(head)
      forgetRemovals(draft)
      if (listing.entries) draft.list(rootId, listing.entries)
    },
  ])
  /** Otherwise the tree still has what an earlier pull listed, because it cannot be written. */
  const isCurrent = !listing || notes.isUsable

  const isKnown = (id: string) => id === rootId || tree.node(id) !== undefined

  function remembered(id: string): RemoteEntry[] {
    const drive = driveId === undefined ? {} : {driveId}
    return tree
      .childrenOf(id)
      .map(({remote}) => (remote.kind === 'folder' ? {...remote, ...drive} : remote))
      .sort(byTitle)
  }

  /** Records the entries of a folder. */
  function list(draft: TreeDraft, id: string, entries: readonly RemoteEntry[]): void {
    const isTwice = ({id: one}: RemoteEntry) => {
      const parent = draft.node(one)?.parent
      return parent !== undefined && parent !== id && draft.isListed(parent)
    }
    if (listing && entries.some(isTwice)) notes.isUsable = false
    if (!listing) listedTwice.note(draft, id, entries)
    draft.list(id, entries.map(withoutDrive))
  }

  function noteFolder(id: string, parent: string, name: string): void {
    notes.add(draft => {
      const isMoved = draft.node(id)?.parent !== parent
      draft.setLocal(id, {parent, name, ...(isMoved && {isMoved})})
    })
  }

  /** A folder without items whose removals are still to be pushed. Most trees have no such item. */
  function withoutRemovals(folder: RemoteFolder): RemoteFolder {
    if (!folder.entries || !tree.elsewhere().some(isAside)) return folder
    return {...folder, entries: folder.entries.filter(entry => !isAside(nodeOf(entry, tree)))}
  }

  /** Notes the state of a local file. */
  function noteFile(
    path: string,
    remote: RemoteFile,
    now: Pick<LocalContent, 'size' | 'modified' | 'inode'>,
  ): void {
    const id = (remote.shortcut ?? remote).id
    const md5 = remote.exported ? undefined : remote.md5
    const file = localContentOf(now, md5, versionOf(remote))
    const name = basename(path)
    const folder = folders.get(parentOf(path))?.id
    notes.add(draft => {
      const node = draft.node(id)
      if (!node) return
      const {local} = node
      const parent = folder ?? node.parent
      const isMoved = node.parent !== parent
      const isHere = local?.parent === parent && local.name === name
      // A push may have moved it meanwhile, and then knows where it is.
      if (isMoved && local && !isHere) return
      const isSame =
        isHere &&
        local.file &&
        local.file.version === file.version &&
        isAsRemembered(local.file, now)
      if (!isSame) draft.setLocal(id, {parent, name, file, ...(isMoved && {isMoved})})
    })
  }

  /**
   * Notes that a version of a remote file is here, beside the local file at a path, which differs from every known
   * one: a push that has just recorded the local file may not know this version.
   */
  function noteVersion(path: string, remote: RemoteFile): void {
    const id = (remote.shortcut ?? remote).id
    notes.add(draft => {
      const node = draft.node(id)
      if (!node) return
      const file = {size: -1, modified: 0, inode: 0, version: versionOf(remote)}
      draft.setLocal(id, {parent: node.parent, name: basename(path), file})
    })
  }

  return {
    async list(all) {
      const known = all.filter(one => isCurrent && !one.shortcut && tree.isListed(one.id))
      const open = all.filter(one => !known.includes(one))
      const found = await listEach(client, open, signal)
      const own = open.filter(({id, shortcut}) => !shortcut && isKnown(id) && found.has(id))
      await notes.write(
        own.map(
          ({id}) =>
            draft =>
              list(draft, id, found.get(id)!),
        ),
      )
      return new Map<string, readonly RemoteEntry[]>([
        ...known.map(({id}) => [id, remembered(id)] as const),
        ...found,
      ])
    },
    recall(pair) {
      const {local, isLinked} = pair
      if (!pair.remote || isLinked) return pair
      const remote = withoutRemovals(pair.remote)
      if (!local) return {...pair, remote}
      const entries = local.entries.map(entry => {
        const file = entry.kind === 'file' && tree.at(remote.id, entry.name)?.local?.file
        const isSame = file && file.md5 !== undefined && isAsRemembered(file, entry)
        return isSame ? {...entry, md5: file.md5} : entry
      })
      return {...pair, remote, local: {...local, entries}}
    },
    planned(given) {
      const plan = listedTwice.without(options.change?.(given) ?? given)
      const {pair, below, steps} = plan
      const {remote, local, path} = pair
      if (pair.isLinked || below.some(one => one.remote?.shortcut)) notes.isUsable = false
      if (!remote || pair.isLinked) return plan
      if (remote.id === rootId && path !== prefix) notes.isUsable = false
      const names = new Set([...steps, ...below].map(one => basename(one.path)))
      const isOpen =
        remote.leftOut !== undefined ||
        local?.leftOut !== undefined ||
        local?.entries.some(({name}) => !names.has(name)) === true
      folders.set(path, {id: remote.id, isOpen, pending: new Set()})
      for (const one of below) {
        const {id} = one.remote!
        const name = basename(one.path)
        const known = tree.node(id)?.local
        if (known?.parent === remote.id && known.name === name) continue
        if (one.local) noteFolder(id, remote.id, name)
        else missing.set(one.path, {id, parent: remote.id})
      }
      return {...plan, below: below.filter(one => !isSettled(one.remote!.id))}
    },
    async expect({steps}) {
      for (const step of steps) {
        const folder = folders.get(parentOf(step.path))
        if (step.action === 'same')
          noteFile(step.path, step.remote, {...step.local, inode: step.local.inode ?? 0})
        else if (['download', 'replace', 'folder'].includes(step.action))
          folder?.pending.add(step.path)
        else if (folder) folder.isOpen = true
      }
      await notes.write()
    },
    saved(step) {
      const {path, remote} = step
      if (step.action === 'download' && step.beside !== undefined) {
        // The local file differs from this version, and it is known to.
        noteVersion(step.beside, remote)
        return
      }
      const facts = localFacts(join(root, path))
      if (!facts?.isFile()) return
      const {size, mtimeMs, ino: inode} = facts
      const modified = Math.floor(mtimeMs)
      // Another program may have changed it meanwhile.
      if (remote.modified !== undefined && !isSameTime({modified}, remote)) return
      if (!remote.exported && size !== remote.size) return
      folders.get(parentOf(path))?.pending.delete(path)
      noteFile(path, remote, {size, modified, inode})
    },
    made(path) {
      folders.get(parentOf(path))?.pending.delete(path)
      const folder = missing.get(path)
      if (folder) noteFolder(folder.id, folder.parent, basename(path))
    },
    async finish() {
      await notes.write([
        draft => {
          for (const {id, isOpen, pending} of folders.values()) {
            // A push may have found that a local file belongs to another item.
            const isHere = draft
              .childrenOf(id)
              .every(node =>
                node.local ? !isToMove(node) && !isAside(node) : node.remote.kind === 'other',
              )
            const isDone = isHere && !isOpen && pending.size === 0 && !options.isOpen?.(draft, id)
            draft.settle(id, isDone ? digest : undefined)
          }
          if (listing) finishListing(draft, listing.head)
        },
      ])
      if (!notes.isUsable) await tree.forget().catch(() => undefined)
      else if (listing) await tree.compact().catch(() => undefined)
    },
  }
}
