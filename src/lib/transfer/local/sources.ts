import {stat} from 'node:fs/promises'
import {basename, resolve} from 'node:path'
import {groupBy} from '#lib/platform/values.js'
import type {LocalEntry, LocalFolder, RemoteFolder} from '#lib/transfer/tree/entries.js'
import {leftOutIf} from '#lib/transfer/tree/leftout.js'
import {keysOfName, keysOfTitle} from './name-keys.js'
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
    const named = {
      ...inner,
      name,
      title: name,
      isPartial: index === names.length - 1 ? tree.isPartial : true,
    }
    return {kind: 'folder', name: '', path: '', entries: [named], isPartial: true}
  }, tree)
}

/**
 * Which remote folders matter to a push: those whose titles the local tree has too, by any of the names
 * that they may have here.
 */
export function foldersOf(tree: LocalFolder): SureWanted {
  return leadingTo<LocalFolder>(tree, ({name}) => keysOfName(name), keysOfTitle)
}

/** Which local folders matter to a pull: those that the remote tree may lead to. */
export function targetsOf(tree: RemoteFolder): SureWanted {
  return leadingTo<RemoteFolder>(tree, ({title}) => keysOfTitle(title), keysOfName)
}

/** The same, with all that is in those at the top; where the tree is whole, all there is. */
export function wholly(
  wanted: SureWanted,
  {isPartial}: {readonly isPartial?: boolean},
): SureWanted {
  return isPartial ? names => wanted(names.slice(0, 1)) : () => true
}

interface Folder<F> {
  readonly kind: 'folder'
  readonly entries?: ReadonlyArray<F | {readonly kind: 'file' | 'other'}>
}

/** Paths whose names each have a key in common with a folder of the tree. */
function leadingTo<F extends Folder<F>>(
  tree: F,
  keysOf: (folder: F) => readonly string[],
  keysOfGiven: (name: string) => readonly string[],
): SureWanted {
  const indexes = new Map<F, ReadonlyMap<string, ReadonlyArray<{readonly inner: F}>>>()
  const indexOf = (folder: F) => {
    const known = indexes.get(folder)
    if (known) return known
    const folders = (folder.entries ?? []).filter((entry): entry is F => entry.kind === 'folder')
    const keyed = folders.flatMap(inner => keysOf(inner).map(key => ({key, inner})))
    const index = groupBy(keyed, ({key}) => key)
    indexes.set(folder, index)
    return index
  }
  return names => {
    let folders: readonly F[] = [tree]
    for (const name of names) {
      const keys = keysOfGiven(name)
      const below = folders.flatMap(folder => keys.flatMap(key => indexOf(folder).get(key) ?? []))
      folders = [...new Set(below.map(({inner}) => inner))]
    }
    return folders.length > 0
  }
}
