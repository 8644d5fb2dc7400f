import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import {dirname, join} from 'node:path'
import {writeWhole} from '../config/write.js'
import {type Compiled, isPrivate, outdated, pack, unpack} from './compiled.js'

/**
 * The files with compiled code. What is read from them is run, so they count only where nobody but
 * the user can write. Without them everything works, and takes longer: no failure is told.
 */

const user = process.geteuid?.()

/** What is in the file of that name, where it can be trusted and is whole. */
export function readCompiled(directory: string, name: string): Compiled | undefined {
  try {
    if (!isOwnDirectory(directory)) return undefined
    // Windows has no links that anybody could make.
    const file = openSync(join(directory, name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const stats = fstatSync(file)
      return stats.isFile() && isPrivate(stats, user) ? unpack(readFileSync(file)) : undefined
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

/**
 * Writes the file, whole or not at all, and drops what is too old. What goes into it takes a while to
 * make, and is not asked for where nothing can be written.
 */
export function writeCompiled(directory: string, name: string, make: () => Compiled): void {
  try {
    makeOwnDirectory(directory)
    if (!isOwnDirectory(directory)) return
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

/** Whether it is a directory, no link to one, that nobody else gets into. */
function isOwnDirectory(directory: string): boolean {
  const stats = lstatSync(directory)
  return stats.isDirectory() && isPrivate(stats, user)
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
