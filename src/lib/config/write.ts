import {randomUUID} from 'node:crypto'
import {open, rename, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {makeFolder} from './folder.js'

/**
 * Writes a file whole or not at all, readable by its owner alone: a new file beside it is written,
 * put on the disk, and renamed over it. Missing directories are made, for the owner alone too.
 */
export async function writePrivately(file: string, text: string): Promise<void> {
  const directory = dirname(file)
  await makeFolder(directory, 0o700)
  const temporary = join(directory, `.${randomUUID()}.tmp`)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, {force: true})
    throw error
  }
}
