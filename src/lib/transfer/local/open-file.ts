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
import {type HeldFolder, holdBelow, inWords, namedFolder} from './held-folder.js'

/** Files of this machine are opened for reading here, so that what is sent is what the scan of a tree saw. */

/** What is known of a file of a tree from an earlier look. */
export interface Scanned {
  /**
   * The folder that was scanned. No link below it is followed. Without it the file is one that a
   * person named: links are followed, and it may be anything.
   */
  readonly root?: string
  /** Bytes. */
  readonly size?: number
  /** Milliseconds since 1970. */
  readonly modified?: number
}

/**
 * Opens a file. Throws `TransferError` where it is not what the scan saw: a link, or changed; else
 * the system's error.
 */
export async function openScanned(path: string, scanned: Scanned): Promise<FileHandle> {
  const {folder, entry, flags} = reach(path, scanned)
  let handle: FileHandle | undefined
  try {
    // To open a pipe would wait for whoever writes to it.
    check(path, look(entry, scanned), scanned)
    handle = await open(entry, flags)
    check(path, await handle.stat({bigint: true}), scanned)
    folder.check()
    return handle
  } catch (error) {
    await handle?.close()
    throw linkError(inWords(error, folder), path)
  } finally {
    folder.close()
  }
}

/**
 * The same for small files: gives the descriptor of the file, and what is known of it; `undefined`
 * for what `isWanted` does not want.
 */
export function openScannedSync(
  path: string,
  scanned: Scanned = {},
  isWanted: (facts: BigIntStats) => boolean = () => true,
): {readonly descriptor: number; readonly facts: BigIntStats} | undefined {
  const {folder, entry, flags} = reach(path, scanned)
  let descriptor: number | undefined
  try {
    const before = look(entry, scanned)
    check(path, before, scanned)
    if (!isWanted(before)) return undefined
    descriptor = openSync(entry, flags)
    const facts = fstatSync(descriptor, {bigint: true})
    check(path, facts, scanned)
    folder.check()
    return {descriptor, facts}
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor)
    throw linkError(inWords(error, folder), path)
  } finally {
    folder.close()
  }
}

function reach(path: string, {root}: Scanned) {
  const whole = resolve(path)
  const folder: HeldFolder =
    root === undefined ? namedFolder(dirname(whole)) : holdBelow(resolve(root), dirname(whole))
  const {O_RDONLY, O_NOFOLLOW = 0} = constants
  // A pipe in the place of a file of a tree would keep the process waiting.
  const flags = O_RDONLY | WITHOUT_WAITING | (root === undefined ? 0 : O_NOFOLLOW)
  return {folder, entry: folder.entry(basename(whole)), flags}
}

function look(entry: string, {root}: Scanned): BigIntStats {
  return root === undefined ? statSync(entry, {bigint: true}) : lstatSync(entry, {bigint: true})
}

/** Throws where the facts are not those that the scan saw. */
function check(path: string, facts: BigIntStats, {root, size, modified}: Scanned): void {
  if (root === undefined) return
  if (!facts.isFile()) throw noFile(path)
  const isSame =
    (size === undefined || facts.size === BigInt(size)) &&
    (modified === undefined || isSameTime({modified: Number(facts.mtimeNs) / 1e6}, {modified}))
  if (isSame) return
  throw new TransferError('failed', `${path} changed after the scan.`, AGAIN)
}

/** What `O_NOFOLLOW` says of a link, in words. */
function linkError(error: unknown, path: string): unknown {
  return (error as NodeJS.ErrnoException).code === 'ELOOP' ? noFile(path) : error
}

function noFile(path: string): TransferError {
  const words = `${path} is not a regular file any more, and links in a tree are not followed.`
  return new TransferError('failed', words, AGAIN)
}

const AGAIN = 'Run the same command again.'
