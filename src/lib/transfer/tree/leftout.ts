import {localName} from '#lib/transfer/local/names.js'
import type {Rules} from '#lib/transfer/local/rules.js'
import type {LeftOut, LocalEntry, LocalFolder, RemoteEntry, RemoteFolder} from './entries.js'
import {pathBelow} from './steps.js'

/** What rules leave out of trees: it is as if it were not there, but for the folders that hold it. */

/** A tree of the service without what rules leave out, by the names that things get here. */
export async function withoutLeftOut(
  folder: RemoteFolder,
  rules: Rules,
  at: readonly string[] = [],
): Promise<RemoteFolder> {
  if (!folder.entries) return folder
  const entries: Array<(typeof folder.entries)[number]> = []
  const leftOut = {folders: 0, files: 0}
  for (const entry of folder.entries) {
    const names = namesBelow(at, entry.title)
    const isFolder = entry.kind === 'folder'
    if (await rules.leaves(names, isFolder)) leftOut[isFolder ? 'folders' : 'files'] += 1
    else entries.push(isFolder ? await withoutLeftOut(entry, rules, names) : entry)
  }
  return {...folder, entries, ...leftOutIf(leftOut)}
}

/** Whether to look into a folder of the service, by the titles on the way to it from one at `at`. */
export function isTaken(
  rules: Rules,
  titles: readonly string[],
  at: readonly string[] = [],
): Promise<boolean> {
  const names = titles.reduce<readonly string[]>(namesBelow, at)
  return rules.leaves(names, true).then(isLeft => !isLeft)
}

/** The names on the way to something in a folder that is reached by others. */
export function namesBelow(at: readonly string[], title: string): string[] {
  return [...at, localName(title, {isWindows: process.platform === 'win32'})]
}

/** What a folder says of what was left out of it. */
export function leftOutIf(leftOut: LeftOut): {readonly leftOut?: LeftOut} {
  return leftOut.folders + leftOut.files > 0 ? {leftOut} : {}
}

/** What was left out of a tree in all. */
export function leftOutOf({leftOut, entries = []}: LocalFolder | RemoteFolder): LeftOut {
  let {folders, files} = leftOut ?? {folders: 0, files: 0}
  for (const entry of entries) {
    if (entry.kind !== 'folder') continue
    const inner = leftOutOf(entry)
    folders += inner.folders
    files += inner.files
  }
  return {folders, files}
}

/**
 * What goes where a thing goes that is not on the other side, with its paths: a folder as a whole, unless
 * it holds something that stays.
 */
export function goingOf<E extends LocalEntry | RemoteEntry>(
  entry: E,
  path: string,
): Array<{readonly entry: E; readonly path: string}> {
  if (entry.kind !== 'folder') return [{entry, path}]
  const {folders, files} = leftOutOf(entry)
  if (folders + files === 0) return [{entry, path}]
  const inner = (entry.entries ?? []) as readonly E[]
  return inner.flatMap(one => goingOf(one, pathBelow(path, 'name' in one ? one.name : one.title)))
}
