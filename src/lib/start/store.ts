import {accessSync, constants, existsSync, mkdirSync, readdirSync, rmSync, statSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {isPrivateDirectory, readPrivateFile} from '#lib/platform/private-file.js'
import {writeWhole} from '#lib/platform/write-file.js'
import {type Compiled, outdated, pack, unpack} from './compiled.js'

/**
 * The files with compiled code. What is read from them is run, so they count only where nobody but
 * the user can write. Without them everything works, and takes longer: no failure is told.
 */

const user = process.geteuid?.()

/** The compiled code in the file of that name, where it can be trusted and is whole. */
export function readCompiled(directory: string, name: string): Compiled | undefined {
  const content = readPrivateFile(join(directory, name))
  return content && unpack(content)
}

/**
 * Writes the file, whole or not at all, and drops what is too old. What goes into it takes a while to
 * make, and is not asked for where nothing can be written.
 */
export function writeCompiled(directory: string, name: string, make: () => Compiled): void {
  try {
    makeOwnDirectory(directory)
    if (!isPrivateDirectory(directory)) return
    accessSync(directory, constants.W_OK)
    // Nothing that is put off happens any more when the process ends, and none of this is.
    writeWhole(join(directory, name), pack(make())).catch(() => undefined)
    const files = readdirSync(directory).map(entry => ({
      name: entry,
      modified: statSync(join(directory, entry)).mtimeMs,
    }))
    for (const old of outdated(files)) rmSync(join(directory, old), {force: true})
  } catch {
    // The next command tries again.
  }
}

/**
 * Makes `drv/compiled`, and the user's cache directory around it, but no home directory; and nothing
 * in the home of somebody else, as whom a command runs.
 */
function makeOwnDirectory(directory: string): void {
  for (const path of [dirname(dirname(directory)), dirname(directory), directory]) {
    if (existsSync(path)) continue
    if (user !== undefined && statSync(dirname(path)).uid !== user) return
    mkdirSync(path, {mode: 0o700})
  }
}
