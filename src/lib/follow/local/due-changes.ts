import {parentOf} from '#lib/transfer/tree/steps.js'
import type {LocalChanges} from './compare-local.js'
import {isWithin, type KnownItem, type LocalItem, markOf} from './local-item.js'

/** Selects the changes that can be carried out now. Pure. */

/** The states of the paths of changes, for `settle`. */
export function marksOf({pairs, appeared, vanished}: LocalChanges): Map<string, string> {
  const marks = new Map(vanished.map(({path}) => [path, markOf(undefined)]))
  for (const item of [...appeared, ...pairs.map(({item}) => item)]) {
    marks.set(item.path, markOf(item))
  }
  return marks
}

/** The folders that have to be read to see the same changes again. */
export function foldersOf({pairs, appeared, vanished}: LocalChanges): Set<string> {
  const paths = [
    ...vanished.map(({path}) => path),
    ...appeared.map(({path}) => path),
    ...pairs.flatMap(({known, item}) => [known.path, item.path]),
  ]
  return new Set(paths.map(parentOf))
}

/**
 * The changes of settled paths. The items of a folder that is not settled wait for it. Something that vanished
 * waits for a new item that may be the same one, and a folder for items that may be moved out of it. An item that has
 * taken its place waits with it, because a place has one known item.
 */
export function dueChanges(
  {pairs, appeared, vanished}: LocalChanges,
  isSettled: (path: string) => boolean,
): LocalChanges {
  const items = [...appeared, ...pairs.map(({item}) => item)]
  const open = items.filter(({path}) => !isSettled(path))
  const openFolders = new Set(open.flatMap(({kind, path}) => (kind === 'folder' ? [path] : [])))
  const isDue = ({path}: LocalItem) => isSettled(path) && !isWithin(parentOf(path), openFolders)
  const waiting = items.filter(item => !isDue(item))
  const inodes = new Set(waiting.map(({inode}) => inode))
  const sizes = new Set(waiting.flatMap(({kind, size}) => (kind === 'file' ? [size] : [])))
  const held: KnownItem[] = []
  for (const known of vanished) {
    const {path, kind, inode, size} = known
    const mayBeThere = inode !== undefined && inodes.has(inode)
    if (!isSettled(path) || mayBeThere || (kind === 'file' && sizes.has(size ?? NaN))) {
      held.push(known)
    }
  }
  const due = new Set(items.filter(isDue))
  for (;;) {
    const leaving = pairs.filter(({item}) => !due.has(item)).map(({known}) => known)
    const kept = new Set([...held, ...leaving].flatMap(({path}) => ancestorsOf(path)))
    const places = new Set(vanished.flatMap(({path}) => (kept.has(path) ? [path] : [])))
    const blocked = [...due].filter(({path}) => isWithin(path, places))
    if (blocked.length === 0) {
      return {
        pairs: pairs.filter(({item}) => due.has(item)),
        appeared: appeared.filter(item => due.has(item)),
        vanished: vanished.filter(({path}) => !kept.has(path)),
      }
    }
    for (const item of blocked) due.delete(item)
  }
}

/** A path and the folders above it. */
function ancestorsOf(path: string): string[] {
  return path === '' ? [] : [path, ...ancestorsOf(parentOf(path))]
}
