import {mkdir, stat} from 'node:fs/promises'
import {dirname} from 'node:path'

/**
 * Makes a directory, and those above it that are missing. Throws the system's error. Node's own way
 * of it never ends where a directory is there and takes nothing, as below /proc.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  if (await isMade(path, mode)) return
  await makeFolder(dirname(path), mode)
  if (await isMade(path, mode)) return
  throw Object.assign(new Error(`Nothing can be made in ${dirname(path)}.`), {code: 'EROFS', path})
}

/** Whether it is there now; not where that which it would be in is missing. */
async function isMade(path: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(path, mode)
    return true
  } catch (error) {
    if (await isFolder(path)) return true
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error
    return false
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}
