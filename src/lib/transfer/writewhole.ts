import {
  closeSync,
  futimesSync,
  linkSync,
  openSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import {putInPlace} from './target.js'
import type {Download} from './types.js'

/**
 * Puts small content into its place: written under the part's name, then given its own. Each step is
 * synchronous, for on its way through the thread pool it takes longer than all of them here; with
 * thousands of small files that is most of the time. Throws the system's error, or `TransferError`
 * where something is in the way.
 */
export async function writeWhole(
  part: string,
  path: string,
  bytes: Buffer,
  {overwrite, modified}: Pick<Download, 'overwrite' | 'modified'>,
): Promise<void> {
  try {
    writePart(part, bytes, modified)
    if (overwrite || !isLinked(part, path)) await putInPlace(part, path, overwrite)
    else unlinkSync(part)
  } catch (error) {
    rmSync(part, {force: true})
    throw error
  }
}

/** Whether the part has got its own name; why it has not is found out by those who may wait. */
function isLinked(part: string, path: string): boolean {
  try {
    linkSync(part, path)
    return true
  } catch {
    return false
  }
}

function writePart(part: string, bytes: Buffer, modified: number | undefined): void {
  const file = openNew(part)
  try {
    writeFileSync(file, bytes)
    if (modified !== undefined) futimesSync(file, new Date(), new Date(modified))
  } finally {
    closeSync(file)
  }
}

/** What an earlier run left under that name is of no use. */
function openNew(part: string): number {
  try {
    return openSync(part, 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    rmSync(part)
    return openSync(part, 'wx')
  }
}
