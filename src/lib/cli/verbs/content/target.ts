import {existsSync} from 'node:fs'
import {stat} from 'node:fs/promises'
import {basename, dirname, join} from 'node:path'
import type {Claims} from '#lib/cli/context/context.js'
import type {Values} from '#lib/cli/input/call-input.js'
import {ifExistsOf} from '#lib/cli/input/shared-flags.js'
import {CommandError} from '#lib/cli/terminal/errors.js'
import {cleanName, isDevice} from '#lib/transfer/local/encode-name.js'
import {freeName, shorten} from '#lib/transfer/local/names.js'
import {resolveConflict} from '#lib/transfer/resolve-conflict.js'

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
 * Throws `CommandError('conflict')` where another file of the same command goes there.
 */
export function byIfExists(
  {path, overwrite}: Target,
  flags: Values,
  claims: Claims = new Set(),
): Target | undefined {
  const choice = ifExistsOf(flags) ?? (overwrite ? 'replace' : 'fail')
  const isTaken = (other: string) => existsSync(other) || claims.has(other)
  const resolution = resolveConflict(choice, {
    title: path,
    existing: isTaken(path) ? [{kind: 'file'}] : [],
    claimed: claims.has(path),
    freeName() {
      const folder = dirname(path)
      return join(
        folder,
        freeName(basename(path), name => isTaken(join(folder, name))),
      )
    },
  })
  if ('kept' in resolution) return undefined
  if ('conflict' in resolution && resolution.conflict === 'claimed') {
    throw new CommandError(
      'conflict',
      `Another of these files goes to ${path}; --if-exists rename gives each a name of its own.`,
    )
  }
  // Where a file is there, the download refuses: it may be gone, or another may come, until then.
  const chosen = 'conflict' in resolution ? path : resolution.title
  claims.add(chosen)
  return {path: chosen, overwrite: choice === 'replace'}
}

/** Whether it is the name of a file, rather than where one of any name goes. */
export async function namesFile(given: string): Promise<boolean> {
  return given !== '' && !/[/\\]$/.test(given) && !(await isDirectory(given))
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

/** Most file systems allow 255 bytes; some are left for the ending of a temporary name. */
const MOST_BYTES = 200

/**
 * A title from the service as the name of a file in the current directory, and nothing else: no
 * path, no device, no hidden file, never empty.
 */
export function safeFileName(title: string): string {
  const clean = cleanName(title, true)
    .replace(/^[.\s~-]+/, '')
    .replace(/[.\s]+$/, '')
  if (clean === '') return 'download'
  return shorten(isDevice(clean) ? `_${clean}` : clean, MOST_BYTES)
}

/** The title an uploaded file gets: its own name. */
export function titleOf(path: string): string {
  return basename(path)
}
