import {createHash, type Hash} from 'node:crypto'
import {lstatSync, readdirSync} from 'node:fs'
import {REMOVED_FOLDER} from '#lib/transfer/local/encode-name.js'
import {RULES_FILE} from '#lib/transfer/local/rules.js'
import type {TreeHead} from './tree-lines.js'
import type {LocalContent} from './tree-node.js'
import type {TreeReader} from './tree-state.js'

/**
 * The fingerprint of a remembered tree in which nothing is left to transfer. If there are no remote changes and the
 * local folder still has the same fingerprint, a pull has nothing to do, and need not read the tree.
 */
export interface TreeFingerprint {
  readonly head: TreeHead
  /** Identifies the options under which nothing was left to transfer. */
  readonly digest: string
  /** Number of files. */
  readonly files: number
  /** SHA-256 of the paths, sizes, modification times and inodes of the local files, in hexadecimal. */
  readonly local: string
}

/** The fingerprint of a tree; `undefined` if something is left to transfer with the options of `digest`. */
export function fingerprintOf(tree: TreeReader, digest: string): TreeFingerprint | undefined {
  const {head} = tree
  if (head?.token === undefined || tree.forgottenIn().length > 0) return undefined
  for (const id of tree.folderIds()) if (tree.settledAs(id) !== digest) return undefined
  if (tree.elsewhere().length > 0) return undefined
  const hash = createHash('sha256')
  const files = hashFolder(hash, head.rootId, id => {
    const entries = new Map<string, Entry<string>>()
    for (const {remote, local} of tree.childrenOf(id)) {
      if (local) entries.set(local.name, local.file ? {file: local.file} : {folder: remote.id})
    }
    return entries
  })
  return {head, digest, files, local: hash.digest('hex')}
}

/**
 * Whether a local folder is as it was when the fingerprint was made. Not if it contains a file with exclude rules,
 * which may have changed.
 */
export function hasFingerprint(root: string, {local}: TreeFingerprint): boolean {
  const hash = createHash('sha256')
  try {
    if (!lstatSync(root).isDirectory()) return false
    hashFolder(hash, root, readFolder)
  } catch {
    return false
  }
  return hash.digest('hex') === local
}

/** A file, or a folder to hash in turn. */
type Entry<F> =
  {readonly file: Pick<LocalContent, 'size' | 'modified' | 'inode'>} | {readonly folder: F}

/** Hashes the entries of a folder and of all folders below it; returns the number of files. */
function hashFolder<F>(
  hash: Hash,
  folder: F,
  entriesOf: (folder: F) => ReadonlyMap<string, Entry<F>>,
): number {
  const entries = entriesOf(folder)
  const below: F[] = []
  // No name contains these separators.
  let text = '//'
  for (const name of [...entries.keys()].sort()) {
    const entry = entries.get(name)!
    if ('file' in entry) {
      const {size, modified, inode} = entry.file
      text += `${name}/${size} ${modified} ${inode}/`
    } else {
      text += `${name}//`
      below.push(entry.folder)
    }
  }
  hash.update(text)
  return below.reduce(
    (files, inner) => files + hashFolder(hash, inner, entriesOf),
    entries.size - below.length,
  )
}

/** Synchronous, because the thread pool takes longer. Throws the system's errors, and for a file with rules. */
function readFolder(path: string): Map<string, Entry<string>> {
  const entries = new Map<string, Entry<string>>()
  for (const entry of readdirSync(path, {withFileTypes: true})) {
    const {name} = entry
    const at = `${path}/${name}`
    if (name === RULES_FILE) throw new Error(`${at} has rules`)
    if (name === REMOVED_FOLDER) continue
    if (entry.isDirectory()) entries.set(name, {folder: at})
    else {
      const facts = lstatSync(at)
      if (!facts.isFile()) throw new Error(`${at} is not a file`)
      const {size, mtimeMs, ino: inode} = facts
      entries.set(name, {file: {size, modified: Math.floor(mtimeMs), inode}})
    }
  }
  return entries
}
