import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import {basename, join} from 'node:path'
import {isPrivate} from '#lib/platform/private-file.js'
import {makeFolder} from '#lib/platform/write-file.js'
import type {HistoryLine} from './lines.js'

/**
 * Writes the history: one file for each month, with mode 0600, to which processes only append. Each group of lines is
 * one write, so that lines of several processes never mix.
 */

/** `2026-11.ndjson` */
const NAME = /^(\d{4})-(\d{2})\.ndjson$/

const DAY = 24 * 3600 * 1000

export interface HistoryFile {
  /** Appends lines. Throws the system's error. */
  append(lines: readonly HistoryLine[]): void
}

interface OpenOptions {
  readonly days: number
  /** In Unix ms. */
  readonly now: number
  /** Removes secrets from the lines. */
  readonly hide?: (text: string) => string
}

/**
 * Opens or creates the file of the current month, and deletes files whose newest lines are older than `days`.
 * Throws the system's error, and an error if another user could read or write the file.
 */
export async function openHistoryFile(
  directory: string,
  {days, now, hide = text => text}: OpenOptions,
): Promise<HistoryFile> {
  await makeFolder(directory, 0o700)
  deleteOldFiles(directory, now - days * DAY)
  const path = join(directory, `${new Date(now).toISOString().slice(0, 7)}.ndjson`)
  const {O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0} = constants
  const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  const stats = fstatSync(file)
  if (!stats.isFile() || !isPrivate(stats, process.geteuid?.())) {
    closeSync(file)
    throw new Error(`${path} is not a private file`)
  }
  // A killed process may have left an incomplete line.
  let start = stats.size > 0 && lastByte(file, stats.size) !== LINE_FEED ? '\n' : ''
  return {
    append(lines) {
      if (lines.length === 0) return
      const bytes = Buffer.from(
        start + hide(lines.map(line => `${JSON.stringify(line)}\n`).join('')),
      )
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
      start = ''
    },
  }
}

const LINE_FEED = 10

function lastByte(file: number, size: number): number | undefined {
  const byte = Buffer.alloc(1)
  return readSync(file, byte, 0, 1, size - 1) === 1 ? byte[0] : undefined
}

function deleteOldFiles(directory: string, oldest: number): void {
  for (const path of historyFiles(directory)) {
    const [, year, month] = NAME.exec(basename(path))!
    const end = Date.UTC(Number(year), Number(month))
    if (end < oldest) rmSync(path, {force: true})
  }
}

/** The files of the history, the oldest first; none without the directory. Throws the system's error. */
export function historyFiles(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter(name => NAME.test(name))
    return names.sort().map(name => join(directory, name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
