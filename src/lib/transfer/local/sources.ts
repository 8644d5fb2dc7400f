import {stat} from 'node:fs/promises'
import {basename, resolve} from 'node:path'
import {type LocalEntry, type LocalFolder, pathKey, type RemoteFolder} from '../tree/entries.js'
import {assignNames, nameKey, type NameRules, titleKey} from './names.js'
import {leftOutIf} from '../tree/leftout.js'
import type {Rules} from './rules.js'
import {scanNamed} from './scan.js'

/** The trees of a command line, each put together as one folder. */

/**
 * What `drv push` is to send: each path under its own name; what is in it, where the path ends in a
 * slash or in no name. `rulesFor` gives the rules of each, by its path and the names on the way to it.
 * Throws the system's error for a path that cannot be read.
 */
export async function localSources(
  paths: readonly string[],
  rulesFor?: (path: string, at: readonly string[]) => Rules,
): Promise<LocalFolder> {
  const entries: LocalEntry[] = []
  let isPartial = false
  const leftOut = {folders: 0, files: 0}
  for (const path of paths) {
    const name = basename(resolve(path))
    const isFolder = (await stat(path)).isDirectory()
    const isContents = isFolder && /[/\\]$|(^|[/\\])\.{1,2}$/.test(path)
    const at = isContents ? [] : [name]
    const rules = rulesFor?.(path, at)
    isPartial ||= !isContents
    if (!isContents && (await rules?.leaves(at, isFolder))) {
      leftOut[isFolder ? 'folders' : 'files'] += 1
      continue
    }
    const entry = await scanNamed(path, name, {rules, at})
    if (isContents && entry.kind === 'folder') {
      entries.push(...entry.entries)
      leftOut.folders += entry.leftOut?.folders ?? 0
      leftOut.files += entry.leftOut?.files ?? 0
    } else entries.push(entry)
  }
  return {kind: 'folder', name: '', path: '', entries, isPartial, ...leftOutIf(leftOut)}
}

/** `Wanted`, known at once. */
type SureWanted = (names: readonly string[]) => boolean

/** A tree in folders that are not there yet: the names on the way to it, the outermost first. */
export function inFolders(names: readonly string[], tree: LocalFolder): LocalFolder {
  return names.reduceRight<LocalFolder>((inner, name, index) => {
    const named = {...inner, name, isPartial: index === names.length - 1 ? tree.isPartial : true}
    return {kind: 'folder', name: '', path: '', entries: [named], isPartial: true}
  }, tree)
}

/** Which remote folders matter to a push: those that the local tree has too. */
export function foldersOf(tree: LocalFolder): SureWanted {
  return leadingTo(tree, ({entries}) => entries.map(entry => ({entry, name: entry.name})), titleKey)
}

/** Which local folders matter to a pull: those that the remote tree leads to. */
export function targetsOf(tree: RemoteFolder, rules: NameRules): SureWanted {
  const named = ({entries = []}: RemoteFolder) => assignNames(entries, rules).named
  return leadingTo(tree, named, name => nameKey(name, rules))
}

/** The same, with all that is in those at the top; where the tree is whole, all there is. */
export function wholly(
  wanted: SureWanted,
  {isPartial}: {readonly isPartial?: boolean},
): SureWanted {
  return isPartial ? names => wanted(names.slice(0, 1)) : () => true
}

/** The folders of a tree, by the names that `namedIn` gives to what is in each. */
function leadingTo<F extends {readonly kind: 'folder'}>(
  tree: F,
  namedIn: (
    folder: F,
  ) => ReadonlyArray<{readonly entry: F | {kind: 'file' | 'other'}; name: string}>,
  keyOf: (name: string) => string,
): SureWanted {
  const keys = new Set<string>()
  const visit = (folder: F, names: readonly string[]) => {
    for (const {entry, name} of namedIn(folder)) {
      if (entry.kind !== 'folder') continue
      const below = [...names, keyOf(name)]
      keys.add(pathKey(below))
      visit(entry, below)
    }
  }
  visit(tree, [])
  return names => keys.has(pathKey(names.map(keyOf)))
}
