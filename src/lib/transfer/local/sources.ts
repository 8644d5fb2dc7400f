import {basename, resolve} from 'node:path'
import {type LocalEntry, type LocalFolder, pathKey, type RemoteFolder} from '../tree/entries.js'
import {assignNames, nameKey, type NameRules, titleKey} from './names.js'
import {scanNamed, type Wanted} from './scan.js'

/** The trees of a command line, each put together as one folder. */

/**
 * What `drv push` is to send: each path under its own name; what is in it, where the path ends in a
 * slash or in no name. Throws the system's error for a path that cannot be read.
 */
export async function localSources(paths: readonly string[]): Promise<LocalFolder> {
  const entries: LocalEntry[] = []
  let isPartial = false
  for (const path of paths) {
    const isContents = /[/\\]$|(^|[/\\])\.{1,2}$/.test(path)
    const entry = await scanNamed(path, basename(resolve(path)))
    if (isContents && entry.kind === 'folder') entries.push(...entry.entries)
    else {
      entries.push(entry)
      isPartial = true
    }
  }
  return {kind: 'folder', name: '', path: '', entries, isPartial}
}

/** A tree in folders that are not there yet: the names on the way to it, the outermost first. */
export function inFolders(names: readonly string[], tree: LocalFolder): LocalFolder {
  return names.reduceRight<LocalFolder>((inner, name, index) => {
    const named = {...inner, name, isPartial: index === names.length - 1 ? tree.isPartial : true}
    return {kind: 'folder', name: '', path: '', entries: [named], isPartial: true}
  }, tree)
}

/** Which remote folders matter to a push: those that the local tree has too. */
export function foldersOf(tree: LocalFolder): Wanted {
  return leadingTo(tree, ({entries}) => entries.map(entry => ({entry, name: entry.name})), titleKey)
}

/** Which local folders matter to a pull: those that the remote tree leads to. */
export function targetsOf(tree: RemoteFolder, rules: NameRules): Wanted {
  const named = ({entries = []}: RemoteFolder) => assignNames(entries, rules).named
  return leadingTo(tree, named, name => nameKey(name, rules))
}

/** The folders of a tree, by the names that `namedIn` gives to what is in each. */
function leadingTo<F extends {readonly kind: 'folder'}>(
  tree: F,
  namedIn: (
    folder: F,
  ) => ReadonlyArray<{readonly entry: F | {kind: 'file' | 'other'}; name: string}>,
  keyOf: (name: string) => string,
): Wanted {
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
