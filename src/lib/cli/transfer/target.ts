import {existsSync} from 'node:fs'
import {stat} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import {freeName} from '../../transfer/local/names.js'
import type {IfExists} from '../../transfer/tree/existing.js'
import type {Values} from '../arguments/input.js'
import {CommandError} from '../command/errors.js'
import {safeFileName} from './filename.js'
import {ifExistsOf} from './ifexists.js'

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

/**
 * The target as `--if-exists` will have it; `undefined` where what is there stays, and all is well.
 * `claims` are the targets of the same command, which none takes from another: they get this one, too.
 * Throws `CommandError('conflict')` for one that has it already.
 */
export function claimTarget(
  target: Target,
  flags: Values,
  claims: Set<string>,
): Target | undefined {
  const isTaken = (path: string) => existsSync(path) || claims.has(path)
  const chosen = byIfExists(target, ifExistsOf(flags), isTaken)
  if (!chosen) return undefined
  if (claims.has(chosen.path)) {
    throw new CommandError(
      'conflict',
      `Another file of this command is written to ${chosen.path}; --if-exists rename gives each a name of its own.`,
    )
  }
  claims.add(chosen.path)
  return chosen
}

function byIfExists(
  target: Target,
  ifExists: IfExists | undefined,
  isTaken: (path: string) => boolean,
): Target | undefined {
  if (ifExists === undefined) return target
  const {path} = target
  if (ifExists === 'skip' && existsSync(path)) return undefined
  if (ifExists !== 'rename' || !isTaken(path)) {
    return {path, overwrite: ifExists === 'replace'}
  }
  const folder = dirname(path)
  const free = freeName(basename(path), name => isTaken(join(folder, name)))
  return {path: join(folder, free), overwrite: false}
}

/** Whether it is the name of a file, rather than where one of any name goes. */
export async function namesFile(given: string): Promise<boolean> {
  return given !== '' && !/[/\\]$/.test(given) && !(await isDirectory(given))
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}
