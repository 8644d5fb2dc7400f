import {lstatSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import {REMOVED_FOLDER} from '#lib/transfer/local/encode-name.js'
import {RULES_FILE} from '#lib/transfer/local/rules.js'
import {isAsRemembered, type TreeNode} from './tree-node.js'
import type {TreeReader} from './tree-state.js'

/** Compares local folders with a remembered tree, by names, sizes and modification times. */

/** The result of comparing a whole tree. */
export interface LocalCheck {
  /** The IDs of the folders in which nothing is left to transfer. */
  readonly same: ReadonlySet<string>
  /** Number of files in these folders. */
  readonly files: number
}

/**
 * Finds the folders that were settled with `digest` and are unchanged on this machine. None, if a folder has a
 * file with rules, which apply to all folders below it.
 */
export function checkLocal(tree: TreeReader, root: string, digest: string): LocalCheck {
  const same = new Set<string>()
  let files = 0
  for (const id of tree.folderIds()) {
    if (tree.settledAs(id) !== digest) continue
    const path = tree.pathOf(id)
    if (path === undefined) continue
    const count = countSame(join(root, path), id, tree.childrenOf(id))
    if (count === 'rules') return {same: new Set(), files: 0}
    if (count === undefined) continue
    same.add(id)
    files += count
  }
  return {same, files}
}

/**
 * Number of files in an unchanged folder; `undefined` if it has changed, `rules` if it has a file with rules.
 * Synchronous, because the thread pool takes longer.
 */
function countSame(
  path: string,
  id: string,
  nodes: readonly TreeNode[],
): number | 'rules' | undefined {
  try {
    if (!lstatSync(path).isDirectory()) return undefined
    const names = new Set(readdirSync(path))
    names.delete(REMOVED_FOLDER)
    if (names.has(RULES_FILE)) return 'rules'
    let count = 0
    let expected = 0
    for (const {local} of nodes) {
      if (!local) continue
      expected += 1
      if (local.parent !== id || !names.has(local.name)) return undefined
      const facts = lstatSync(`${path}/${local.name}`)
      if (!local.file) {
        if (!facts.isDirectory()) return undefined
        continue
      }
      const now = {size: facts.size, modified: Math.floor(facts.mtimeMs), inode: facts.ino}
      if (!facts.isFile() || !isAsRemembered(local.file, now)) return undefined
      count += 1
    }
    return expected === names.size ? count : undefined
  } catch {
    return undefined
  }
}
