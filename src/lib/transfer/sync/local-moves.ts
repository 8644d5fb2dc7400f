import {readdirSync} from 'node:fs'
import {basename, extname, join} from 'node:path'
import {REMOVED_FOLDER} from '#lib/transfer/local/encode-name.js'
import {localFacts} from '#lib/transfer/local/local-facts.js'
import {assignNames, type NameRules} from '#lib/transfer/local/names.js'
import {copyTitle, withFreeTitles} from '#lib/transfer/remote/exports.js'
import {isPart} from '#lib/transfer/target.js'
import {makeLocalFolder, type PullPlace, putAside} from '#lib/transfer/tree/pull.js'
import {joinPath} from '#lib/transfer/tree/steps.js'
import {renamedFinder} from './find-renamed.js'
import {nodesToMove} from './open-removals.js'
import type {RememberedTree} from './remembered-tree.js'
import {renameInTree} from './rename-in-tree.js'
import {GONE, isAside, isAsRemembered, type LocalState, type TreeNode} from './tree-node.js'
import {forgetLocal} from './tree-pairs.js'
import type {TreeReader} from './tree-state.js'
import {copiesIn, namedNodes, namesHere, namesToCorrect, nextCorrection} from './twin-names.js'

/** Carries remote renames, moves and removals over to local files, without transferring anything. */

/** A change of a local file or folder. Paths are relative to the root of the pull. */
export interface LocalMove {
  readonly action: 'move' | 'remove' | 'folder'
  readonly path: string
  /** The new path of a move. */
  readonly to?: string
  /** Carries it out. Throws the system's error. */
  readonly run: () => void
}

interface MoveOptions {
  readonly tree: RememberedTree
  readonly place: PullPlace
  /** The path of the tree below the root of the pull. */
  readonly prefix: string
  readonly rules: NameRules
  /** Whether to remove items that were removed remotely; otherwise they stay and are forgotten. */
  readonly isRemoving: boolean
  /** Whether nothing is left to do in a folder, and all of its items have the right names. */
  readonly isSettled: (folderId: string) => boolean
}

/**
 * The changes that are in the tree but not in the local folder, one after the other: each is remembered before the next
 * one is computed. Only unchanged items are removed. An item that was renamed here too gets its remote name. Items that
 * cannot be moved are forgotten, and then downloaded to their new paths.
 */
export async function* localMoves(options: MoveOptions): AsyncGenerator<LocalMove> {
  const {tree, place, prefix, rules, isRemoving, isSettled} = options
  const whole = (path: string) =>
    prefix === '' || path === '' ? prefix + path : joinPath(prefix, path)
  const local = (path: string) => join(place.root, whole(path))

  const findRenamed = renamedFinder(tree, local)

  yield* movesUntilStuck()
  yield* removals()
  yield* movesUntilStuck()
  // Items that block each other: one of them is downloaded again.
  for (let stuck = nodesToMove(tree); stuck.length > 0; stuck = nodesToMove(tree)) {
    yield* giveUp(stuck[0]!)
    yield* movesUntilStuck()
  }
  yield* corrections()

  async function* movesUntilStuck(): AsyncGenerator<LocalMove> {
    for (let isProgress = true; isProgress;) {
      isProgress = false
      for (const {remote} of nodesToMove(tree)) {
        const node = tree.node(remote.id)
        if (!node?.local?.isMoved || node.parent === GONE) continue
        const before = tree.pathOf(node.remote.id)
        yield* folderFor(node.parent)
        const parent = tree.pathOf(node.parent)
        if (before === undefined || parent === undefined) continue
        const name = nameIn(node.parent, node.remote.id)
        const to = parent === '' ? name : joinPath(parent, name)
        if (to === before) {
          await settleAt(node, name)
          isProgress = true
          continue
        }
        if (`${to}/`.startsWith(`${before}/`)) continue
        if (!exists(local(before))) {
          const renamed = findRenamed(node)
          if (renamed) await placeAt(node, {...renamed, isMoved: true})
          else await forget(node.remote.id)
          isProgress = true
          continue
        }
        if (exists(local(to))) {
          const blocking = tree.at(node.parent, name)
          if (blocking?.parent !== GONE || !isClean(blocking)) continue
          yield* remove(blocking)
          if (exists(local(to))) continue
        }
        const isDone = yield* move(before, to)
        if (isDone) await settleAt(node, name)
        else await forget(node.remote.id)
        isProgress = true
      }
    }
  }

  /** Renames a path; returns whether that succeeded. */
  async function* move(from: string, to: string): AsyncGenerator<LocalMove, boolean> {
    let isDone = false
    yield {
      action: 'move',
      path: whole(from),
      to: whole(to),
      run() {
        renameInTree(place.root, local(from), local(to))
        isDone = true
      },
    }
    return isDone
  }

  /** Gives items the names that they have on every machine. */
  async function* corrections(): AsyncGenerator<LocalMove> {
    for (const folderId of [...tree.folderIds()]) {
      if (isSettled(folderId)) continue
      const wrong = namesToCorrect(tree, folderId, rules)
      const next = () => nextCorrection(wrong, tree, path => exists(local(path)))
      for (let one = next(); one; one = next()) {
        const isDone = yield* move(one.path, one.to)
        if (isDone) await settleAt(tree.node(one.id)!, basename(one.to))
        else wrong.delete(one.id)
      }
    }
  }

  /** Creates the local folder of a remote one that is new, or was removed here. */
  async function* folderFor(id: string): AsyncGenerator<LocalMove> {
    const node = tree.node(id)
    if (!node || node.parent === GONE || node.local?.isMoved || isAside(node)) return
    const known = node.local && tree.pathOf(id)
    if (known !== undefined && exists(local(known))) return
    yield* folderFor(node.parent)
    const parent = tree.pathOf(node.parent)
    if (parent === undefined) return
    const name = node.local?.name ?? nameIn(node.parent, id)
    const path = parent === '' ? name : joinPath(parent, name)
    if (localFacts(local(path))?.isDirectory() === false) return
    let isDone = false
    yield {
      action: 'folder',
      path: whole(path),
      run() {
        makeLocalFolder(place, whole(path))
        isDone = true
      },
    }
    if (isDone) await tree.update(draft => draft.setLocal(id, {parent: node.parent, name}))
  }

  async function* removals(): AsyncGenerator<LocalMove> {
    for (const {remote} of tree.childrenOf(GONE)) {
      const node = tree.node(remote.id)
      if (node?.parent !== GONE) continue
      if (isRemoving) yield* remove(node)
      else await tree.update(draft => draft.remove(remote.id))
    }
  }

  /** Removes unchanged files, and folders without others; the rest stays. */
  async function* remove(node: TreeNode): AsyncGenerator<LocalMove> {
    const path = tree.pathOf(node.remote.id)
    let isDone = true
    if (path !== undefined && exists(local(path))) {
      if (isClean(node)) isDone = yield* putPathAside(path)
      else if (!node.local?.file) {
        for (const inner of tree.childrenOf(node.remote.id)) yield* remove(inner)
      }
    }
    if (isDone) await tree.update(draft => draft.remove(node.remote.id))
  }

  /** Moves an item aside that another one waits for, so that it is downloaded to its new path. */
  async function* giveUp(node: TreeNode): AsyncGenerator<LocalMove> {
    const path = tree.pathOf(node.remote.id)
    if (path !== undefined && exists(local(path)) && isClean(node)) yield* putPathAside(path)
    await forget(node.remote.id)
  }

  /** Moves a path to the folder for removed files; returns whether that succeeded. */
  async function* putPathAside(path: string): AsyncGenerator<LocalMove, boolean> {
    let isDone = false
    yield {
      action: 'remove',
      path: whole(path),
      run() {
        putAside({...place, stamp: freeStamp(whole(path))}, whole(path))
        isDone = true
      },
    }
    return isDone
  }

  /** A folder for removed files in which a path is free: part of a folder may be removed before the rest. */
  function freeStamp(path: string): string {
    let stamp = place.stamp
    for (let number = 2; exists(join(place.root, REMOVED_FOLDER, stamp, path)); number++) {
      stamp = `${place.stamp}-${number}`
    }
    return stamp
  }

  function forget(id: string): Promise<void> {
    return tree.update(draft => forgetLocal(draft, id))
  }

  function settleAt(node: TreeNode, name: string): Promise<void> {
    return placeAt(node, {parent: node.parent, name})
  }

  function placeAt(
    {remote, local: before}: TreeNode,
    place: Pick<LocalState, 'parent' | 'name' | 'isMoved'>,
  ): Promise<void> {
    const {isMoved: _, ...kept} = before!
    return tree.update(draft => draft.setLocal(remote.id, {...kept, ...place}))
  }

  /** The local name for an item of a folder. */
  function nameIn(folderId: string, id: string): string {
    const nodes = [...namedNodes(tree, folderId), ...copiesIn(tree, folderId)]
    const entries = nodes.map(({remote, local}) => {
      if (remote.kind !== 'other') return remote
      const ending = extname(local!.name).slice(1).toLowerCase()
      return ending === '' ? remote : {...remote, title: copyTitle(remote.title, ending)}
    })
    const free = withFreeTitles(entries, ({kind}) => kind === 'other', rules)
    const named = assignNames(free, rules, {known: namesHere(nodes)})
    return named.find(({entry}) => entry.id === id)?.name ?? tree.node(id)!.remote.title
  }

  /** Whether a file, or a folder with everything in it, is as it was remembered. */
  function isClean(node: TreeNode): boolean {
    const path = tree.pathOf(node.remote.id)
    return path !== undefined && isAsItWas(tree, node, local(path))
  }
}

function isAsItWas(tree: TreeReader, {remote, local}: TreeNode, path: string): boolean {
  const facts = localFacts(path)
  if (!facts || !local) return false
  if (local.file) {
    const now = {size: facts.size, modified: Math.floor(facts.mtimeMs), inode: facts.ino}
    return facts.isFile() && isAsRemembered(local.file, now)
  }
  if (!facts.isDirectory()) return false
  // Partial and replaced files go along.
  const names = readdirSync(path).filter(name => !isPart(name))
  return names.every(name => {
    const inner = tree.at(remote.id, name)
    return inner !== undefined && isAsItWas(tree, inner, join(path, name))
  })
}

function exists(path: string): boolean {
  return localFacts(path) !== undefined
}
