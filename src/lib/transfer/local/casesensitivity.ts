import {lstat} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'

/** What is on this machine, and what names it takes, lives here. Nothing of it is changed here. */

/**
 * Whether `A` and `a` are two names where `path` is, found out without writing anything: by whether
 * the path is still the same with its capitals swapped. A folder that is not there yet is judged by
 * the one it will be in.
 */
export async function isCaseSensitive(path: string, platform: NodeJS.Platform): Promise<boolean> {
  for (let at = path, above = dirname(at); at !== above; at = above, above = dirname(at)) {
    const name = basename(at)
    const swapped = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
    const facts = swapped === name ? undefined : await look(at)
    if (!facts) continue
    const other = await look(join(above, swapped))
    return !other || other.ino !== facts.ino || other.dev !== facts.dev
  }
  return platform !== 'win32' && platform !== 'darwin'
}

async function look(path: string) {
  return lstat(path).catch(() => undefined)
}
