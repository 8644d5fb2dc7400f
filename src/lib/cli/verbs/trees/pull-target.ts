import {stat} from 'node:fs/promises'
import {basename, dirname, resolve} from 'node:path'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {decodeName} from '#lib/transfer/local/encode-name.js'
import type {RemoteFolder} from '#lib/transfer/tree/entries.js'

/** Where the things of a pull go: into a folder, or a single file to a name. */

/** What a word names on this machine. */
interface Target {
  readonly path: string
  readonly is: 'folder' | 'file' | 'missing'
  /** The end of the word says that it is a folder. */
  readonly isFolder: boolean
}

/** What a word names on this machine; throws the system's error. */
export async function targetAt(word: string): Promise<Target> {
  const path = resolve(word)
  const isFolder = /[/\\]$|(^|[/\\])\.{1,2}$/.test(word)
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return {path, is: facts?.isDirectory() ? 'folder' : facts ? 'file' : 'missing', isFolder}
}

/**
 * The folder that things go into, whether it exists, and the new name of a single file. Throws
 * `CommandError` where anything else should go into a file.
 */
export async function placedIn(
  {path, is, isFolder}: Target,
  {entries = [], isPartial}: RemoteFolder,
): Promise<{readonly root: string; readonly isThere: boolean; readonly name?: string}> {
  const isSingle = isPartial && entries.length === 1 && entries[0]!.kind !== 'folder'
  if (is !== 'folder' && isSingle && !isFolder) {
    const above = await targetAt(dirname(path))
    if (above.is === 'file') throw noFolderAt(above.path)
    return {root: above.path, isThere: above.is === 'folder', name: basename(path)}
  }
  if (is === 'file') throw noFolderAt(path)
  return {root: path, isThere: is === 'folder'}
}

/** The same folder, with its one file under another local name. */
export function named(folder: RemoteFolder, name: string): RemoteFolder {
  const [entry] = folder.entries ?? []
  if (entry?.kind !== 'file') return folder
  return {...folder, entries: [{...entry, title: decodeName(name, process.platform === 'win32')}]}
}

function noFolderAt(path: string): CommandError {
  return new CommandError('failed', `${path} is a file, not a folder.`, 'Name a folder.')
}
