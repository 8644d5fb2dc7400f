import {randomBytes, randomUUID} from 'node:crypto'
import {open, rm, stat} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {SetupError} from './setup-error.js'
import {reasonOf} from './system-errors.js'

/** As much as a sign-in writes at the most, in bytes. */
const ROOM = 64 * 1024

/**
 * Tries whether small files can be written in a directory, be it there already or yet to be made.
 * Throws `SetupError('configuration')` where they cannot. Nothing stays behind even of a process
 * that is killed: no directory is made, and the file has no name any more when something comes into it.
 */
export async function tryDirectory(directory: string): Promise<void> {
  try {
    await tryFile(join(await nearest(directory), `.${randomUUID()}.tmp`))
  } catch (error) {
    throw new SetupError(
      'configuration',
      `Nothing can be kept in ${directory}: ${reasonOf(error)}. Mend that, set DRV_CONFIG_DIR to another directory, or set DRV_TOKEN.`,
      {cause: error},
    )
  }
}

async function tryFile(file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await rm(file)
    // Some file systems need no room for zeros.
    await handle.writeFile(randomBytes(ROOM))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The directory itself, or the one above it that is there and that it would be made in. */
async function nearest(directory: string): Promise<string> {
  try {
    await stat(directory)
    return directory
  } catch (error) {
    const above = dirname(directory)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === directory) throw error
    return nearest(above)
  }
}
