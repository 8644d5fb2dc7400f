import {stat} from 'node:fs/promises'
import {basename, resolve} from 'node:path'
import type {LocalEntry, LocalFolder} from '#lib/transfer/tree/entries.js'
import {excludedIf} from '#lib/transfer/tree/exclusions.js'
import type {IgnoreRules} from './rules.js'
import {scanNamed} from './scan.js'

/** Combines the local paths of a command line into one folder. */

/**
 * The sources of `drv push` as one folder: each path under its own name, or its contents if it ends in a
 * slash, `.` or `..`. `rulesFor` returns the rules for a path. Throws the system's error for a path that
 * cannot be read.
 */
export async function localSources(
  paths: readonly string[],
  rulesFor?: (path: string, at: readonly string[]) => IgnoreRules,
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
    if (!isContents && (await rules?.excludes(at, isFolder))) {
      leftOut[isFolder ? 'folders' : 'files'] += 1
      continue
    }
    const entry = await scanNamed(path, name, {isShallow: true, rules, at})
    if (isContents && entry.kind === 'folder') {
      entries.push(...entry.entries)
      leftOut.folders += entry.leftOut?.folders ?? 0
      leftOut.files += entry.leftOut?.files ?? 0
    } else entries.push(entry)
  }
  return {kind: 'folder', name: '', path: '', entries, isPartial, ...excludedIf(leftOut)}
}

/** A tree wrapped in new folders, the outermost name first. */
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
