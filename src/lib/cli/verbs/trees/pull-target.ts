import {stat} from 'node:fs/promises'
import {basename, dirname, resolve} from 'node:path'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {decodeName} from '#lib/transfer/local/encode-name.js'
import type {RemoteFolder} from '#lib/transfer/tree/entries.js'

/** The destination of a pull: a folder, or the new name of a single file. */

/** A resolved LOCAL argument. */
interface Target {
  readonly path: string
  readonly is: 'folder' | 'file' | 'missing'
  /** Whether the argument can only be a folder, as with a trailing slash. */
  readonly isFolder: boolean
}

/** Resolves the LOCAL argument. Throws system errors. */
export async function resolveLocal(word: string): Promise<Target> {
  const path = resolve(word)
  const isFolder = /[/\\]$|(^|[/\\])\.{1,2}$/.test(word)
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return {path, is: facts?.isDirectory() ? 'folder' : facts ? 'file' : 'missing', isFolder}
}

/**
 * The destination folder, whether it exists, and the new name of a single file. Throws `CommandError` if the
 * destination folder is a file.
 */
export async function destinationFor(
  {path, is, isFolder}: Target,
  {entries = [], isPartial}: RemoteFolder,
): Promise<{readonly root: string; readonly isThere: boolean; readonly name?: string}> {
  const isSingle = isPartial && entries.length === 1 && entries[0]!.kind !== 'folder'
  if (is !== 'folder' && isSingle && !isFolder) {
    const above = await resolveLocal(dirname(path))
    if (above.is === 'file') throw noFolderAt(above.path)
    return {root: above.path, isThere: above.is === 'folder', name: basename(path)}
  }
  if (is === 'file') throw noFolderAt(path)
  return {root: path, isThere: is === 'folder'}
}

/** The same folder, with its only file under another local name. */
export function withLocalName(folder: RemoteFolder, name: string): RemoteFolder {
  const [entry] = folder.entries ?? []
  if (entry?.kind !== 'file') return folder
  return {...folder, entries: [{...entry, title: decodeName(name, process.platform === 'win32')}]}
}

function noFolderAt(path: string): CommandError {
  return new CommandError(
    'failed',
    `Cannot download to ${path}: it is a file.`,
    'Use a folder as LOCAL.',
  )
}
