import {mkdir, stat} from 'node:fs/promises'
import {dirname} from 'node:path'

/**
 * Makes a directory, and those above it that are missing. Throws the system's error. Node's own way
 * of it never ends where a directory is there and takes nothing, as below /proc.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, mode)
  } catch (error) {
    if (await isFolder(path)) return
    const above = dirname(path)
    const {code} = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' || above === path) throw error
    if (await isFolder(above)) {
      throw Object.assign(new Error(`${above} takes nothing.`, {cause: error}), {
        code: 'EROFS',
        path,
      })
    }
    await makeFolder(above, mode)
    await makeFolder(path, mode)
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}
