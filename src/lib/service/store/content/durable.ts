import {closeSync, fsyncSync, openSync, rmSync, writeSync} from 'node:fs'
import {open} from 'node:fs/promises'

/** Writes a new file, for its owner only, that is on the disk once this returns; what fails leaves nothing. */
export function writeDurably(path: string, bytes: Buffer): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    for (let written = 0; written < bytes.length;) {
      written += writeSync(fd, bytes, written, bytes.length - written, written)
    }
    fsyncSync(fd)
  } catch (error) {
    rmSync(path, {force: true})
    throw error
  } finally {
    closeSync(fd)
  }
}

/** Puts the names in a directory on the disk. Windows knows no such thing, and needs none. */
export async function keepNames(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** As `keepNames`, at once. */
export function keepNamesNow(directory: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(directory, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * The names of files that are still being written: a random ID, as whole content has it, and an
 * ending. Nothing that anybody else puts into a data directory is called so.
 */
const UNFINISHED = /^([\w-]{28})\.unfinished$/

export function unfinishedName(id: string): string {
  return `${id}.unfinished`
}

/** The ID in such a name; `undefined` for any other name. */
export function unfinishedId(name: string): string | undefined {
  return UNFINISHED.exec(name)?.[1]
}
