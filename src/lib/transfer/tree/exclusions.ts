import {localName} from '#lib/transfer/local/names.js'
import type {IgnoreRules} from '#lib/transfer/local/rules.js'
import type {Excluded, LocalEntry, LocalFolder, RemoteEntry, RemoteFolder} from './entries.js'
import {joinPath} from './steps.js'

/** Applies exclusion rules to trees: excluded entries are treated as missing, except in their parents' counts. */

/** A remote tree without excluded entries; rules apply to the local names. */
export async function withoutExcluded(
  folder: RemoteFolder,
  rules: IgnoreRules,
  at: readonly string[] = [],
): Promise<RemoteFolder> {
  if (!folder.entries) return folder
  const entries: Array<(typeof folder.entries)[number]> = []
  const leftOut = {folders: 0, files: 0}
  for (const entry of folder.entries) {
    const names = namesBelow(at, entry.title)
    const isFolder = entry.kind === 'folder'
    if (await rules.excludes(names, isFolder)) leftOut[isFolder ? 'folders' : 'files'] += 1
    else entries.push(isFolder ? await withoutExcluded(entry, rules, names) : entry)
  }
  return {...folder, entries, ...excludedIf(leftOut)}
}

/** Whether an entry has a wanted type, by its title and media type. */
export type IsWanted = (entry: {readonly title: string; readonly mimeType?: string}) => boolean

/** A remote folder without entries of other types, except subfolders, which may contain wanted ones. */
export function withoutOtherTypes(folder: RemoteFolder, isWanted: IsWanted): RemoteFolder {
  if (!folder.entries) return folder
  const entries = folder.entries.filter(
    entry =>
      entry.kind === 'folder' ||
      isWanted((entry.kind === 'file' && entry.exported?.document) || entry),
  )
  const {folders, files} = folder.leftOut ?? {folders: 0, files: 0}
  const others = folder.entries.length - entries.length
  return {...folder, entries, ...excludedIf({folders, files: files + others})}
}

/** Whether to list a remote folder, by the titles that lead to it from `at`. */
export function shouldList(
  rules: IgnoreRules,
  titles: readonly string[],
  at: readonly string[] = [],
): Promise<boolean> {
  return excludesAt(rules, titles, true, at).then(isLeft => !isLeft)
}

/** Whether rules exclude a remote entry, by the titles that lead to it from `at`. */
export function excludesAt(
  rules: IgnoreRules,
  titles: readonly string[],
  isFolder: boolean,
  at: readonly string[] = [],
): Promise<boolean> {
  return rules.excludes(titles.reduce<readonly string[]>(namesBelow, at), isFolder)
}

/** The local names that lead to an entry below `at`. */
export function namesBelow(at: readonly string[], title: string): string[] {
  return [...at, localName(title, {isWindows: process.platform === 'win32'})]
}

/** The `leftOut` property of a folder; none if nothing was excluded. */
export function excludedIf(leftOut: Excluded): {readonly leftOut?: Excluded} {
  return leftOut.folders + leftOut.files > 0 ? {leftOut} : {}
}

/** The number of entries excluded from a whole tree. */
export function excludedOf({leftOut, entries = []}: LocalFolder | RemoteFolder): Excluded {
  let {folders, files} = leftOut ?? {folders: 0, files: 0}
  for (const entry of entries) {
    if (entry.kind !== 'folder') continue
    const inner = excludedOf(entry)
    folders += inner.folders
    files += inner.files
  }
  return {folders, files}
}

/**
 * The parts of an entry to remove, with their paths: a folder as a whole, unless it contains excluded
 * entries, which stay.
 */
export function removableParts<E extends LocalEntry | RemoteEntry>(
  entry: E,
  path: string,
): Array<{readonly entry: E; readonly path: string}> {
  if (entry.kind !== 'folder') return [{entry, path}]
  const {folders, files} = excludedOf(entry)
  if (folders + files === 0) return [{entry, path}]
  const inner = (entry.entries ?? []) as readonly E[]
  return inner.flatMap(one =>
    removableParts(one, joinPath(path, 'name' in one ? one.name : one.title)),
  )
}
