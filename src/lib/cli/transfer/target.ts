import {stat} from 'node:fs/promises'
import {join} from 'node:path'
import {safeFileName} from './filename.js'

/** Where a download goes. */
export interface Target {
  readonly path: string
  /** A file of that name may be replaced: the person named it, or said `--force`. */
  readonly overwrite: boolean
}

/**
 * Where a file with that title goes: `given` as it is when it names a file; inside it when it is a
 * directory; in the current directory without it. A name made from a title never replaces a file
 * unless `force` is set.
 */
export async function chooseTarget(given: string, title: string, force: boolean): Promise<Target> {
  if (await namesFile(given)) return {path: given, overwrite: true}
  return {path: join(given, safeFileName(title)), overwrite: force}
}

/** Whether it is the name of a file, rather than where one of any name goes. */
export async function namesFile(given: string): Promise<boolean> {
  return given !== '' && !/[/\\]$/.test(given) && !(await isDirectory(given))
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}
