import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  statSync,
} from 'node:fs'
import {type FileHandle, open} from 'node:fs/promises'
import {basename, dirname, resolve} from 'node:path'
import {WITHOUT_WAITING} from '#lib/platform/open-file.js'
import {TransferError} from '#lib/transfer/errors.js'
import {isSameTime} from '#lib/transfer/tree/entries.js'
import {type HeldFolder, holdBelow, namedFolder, withGivenPath} from './held-folder.js'

/** Opens local files for reading, and ensures that they are still what the scan of a tree saw. */

/** What the scan of a tree knows about a file. */
export interface Scanned {
  /**
   * The scanned folder; links below it are not followed. Without it the user named the file: links
   * are followed, and it may be special.
   */
  readonly root?: string
  /** Size in bytes. */
  readonly size?: number
  /** Modification time, in milliseconds since 1970. */
  readonly modified?: number
}

/**
 * Opens a file. Throws `TransferError` if it is a link or has changed since the scan, and the system's
 * error.
 */
export async function openScanned(path: string, scanned: Scanned): Promise<FileHandle> {
  const {folder, entry, flags} = reach(path, scanned)
  let handle: FileHandle | undefined
  try {
    // Check first: opening a named pipe would wait for its writer.
    check(path, statEntry(entry, scanned), scanned)
    handle = await open(entry, flags)
    check(path, await handle.stat({bigint: true}), scanned)
    folder.check()
    return handle
  } catch (error) {
    await handle?.close()
    throw linkError(withGivenPath(error, folder), path)
  } finally {
    folder.close()
  }
}

/**
 * Like `openScanned` for small files: returns the descriptor and its stats; `undefined` if `isWanted`
 * rejects the file.
 */
export function openScannedSync(
  path: string,
  scanned: Scanned = {},
  isWanted: (facts: BigIntStats) => boolean = () => true,
): {readonly descriptor: number; readonly facts: BigIntStats} | undefined {
  const {folder, entry, flags} = reach(path, scanned)
  let descriptor: number | undefined
  try {
    const before = statEntry(entry, scanned)
    check(path, before, scanned)
    if (!isWanted(before)) return undefined
    descriptor = openSync(entry, flags)
    const facts = fstatSync(descriptor, {bigint: true})
    check(path, facts, scanned)
    folder.check()
    return {descriptor, facts}
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    throw linkError(withGivenPath(error, folder), path)
  } finally {
    folder.close()
  }
}

function reach(path: string, {root}: Scanned) {
  const whole = resolve(path)
  const folder: HeldFolder =
    root === undefined ? namedFolder(dirname(whole)) : holdBelow(resolve(root), dirname(whole))
  const {O_RDONLY, O_NOFOLLOW = 0} = constants
  // A named pipe in place of a file would otherwise block the process.
  const flags = O_RDONLY | WITHOUT_WAITING | (root === undefined ? 0 : O_NOFOLLOW)
  return {folder, entry: folder.entry(basename(whole)), flags}
}

function statEntry(entry: string, {root}: Scanned): BigIntStats {
  return root === undefined ? statSync(entry, {bigint: true}) : lstatSync(entry, {bigint: true})
}

/** Throws if a file does not match the scan. */
function check(path: string, facts: BigIntStats, {root, size, modified}: Scanned): void {
  if (root === undefined) return
  if (!facts.isFile()) throw noFile(path)
  const isSame =
    (size === undefined || facts.size === BigInt(size)) &&
    (modified === undefined || isSameTime({modified: Number(facts.mtimeNs) / 1e6}, {modified}))
  if (isSame) return
  throw new TransferError('failed', `${path} changed after drv scanned the folder.`, AGAIN)
}

/** Translates the error of `O_NOFOLLOW` for a link. */
function linkError(error: unknown, path: string): unknown {
  return (error as NodeJS.ErrnoException).code === 'ELOOP' ? noFile(path) : error
}

function noFile(path: string): TransferError {
  const words = `${path} is no longer a regular file. drv does not follow symbolic links in a tree.`
  return new TransferError('failed', words, AGAIN)
}

const AGAIN = 'Run the same command again.'
