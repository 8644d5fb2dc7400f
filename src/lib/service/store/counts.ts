import {closeSync, openSync} from 'node:fs'
import {join} from 'node:path'
import Sqlite from 'libsql'
import {DataError} from '#lib/platform/setup-error.js'

/** Number of requests of a subject in the period that ends at `ends_at` (Unix ms). */
export interface Count {
  readonly used: number
  readonly ends_at: number
}

/** Counts that all processes on a data directory share. Losing them does no harm. */
export interface Counts {
  /** The count of a subject; `undefined` if it has none or its period is over. */
  of(subject: string, now: number): Count | undefined
  /** Adds one to the count. If the period is over, starts a new one until `end`. `undefined` at the `limit`. */
  add(subject: string, time: {now: number; end: number; limit: number}): Count | undefined
  /** Forgets all counts. */
  clear(): void
  /** Subtracts one. */
  takeBack(subject: string, now: number): void
  close(): void
}

const TABLE = `
CREATE TABLE IF NOT EXISTS counts (
  subject TEXT PRIMARY KEY,
  used INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID`

const ADD = `
INSERT INTO counts (subject, used, ends_at) VALUES (:subject, 1, :end)
ON CONFLICT DO UPDATE SET
  used = iif(ends_at <= :now, 1, used + 1), ends_at = iif(ends_at <= :now, :end, ends_at)
WHERE ends_at <= :now OR used < :limit
RETURNING used, ends_at`

/** How long a process waits for the lock of another one, in ms. */
const BUSY_TIMEOUT = 5000

/**
 * Opens the counts of a data directory. They have a separate database: in the main one, each count
 * would wait for the writes of all processes and invalidate their caches. Does not wait for the disk.
 * Without a directory, they are in memory.
 * Throws `DataError` for a file that cannot be used.
 */
export function openCounts(directory: string | undefined): Counts {
  const sqlite = directory === undefined ? prepared(':memory:') : open(join(directory, 'counts.db'))
  const add = sqlite.prepare(ADD)
  const of = sqlite.prepare('SELECT * FROM counts WHERE subject = :subject AND ends_at > :now')
  const takeBack = sqlite.prepare(
    'UPDATE counts SET used = used - 1 WHERE subject = :subject AND ends_at > :now AND used > 0',
  )
  const forget = sqlite.prepare('DELETE FROM counts WHERE ends_at <= :now')
  return {
    // Not `get`, which would leave the statement open.
    of: (subject, now) => (of.all({subject, now}) as Count[])[0],
    add(subject, time) {
      const [count] = add.all({subject, ...time}) as Count[]
      if (count?.used === 1) forget.run({now: time.now})
      return count
    },
    takeBack: (subject, now) => void takeBack.run({subject, now}),
    clear: () => void sqlite.exec('DELETE FROM counts'),
    close: () => sqlite.close(),
  }
}

function open(path: string): Sqlite.Database {
  try {
    // Readable by its owner only. SQLite creates its other files with the same mode.
    closeSync(openSync(path, 'a', 0o600))
    return prepared(path)
  } catch (error) {
    // The service can still read, so count in memory.
    if (isDiskFailure(error)) return prepared(':memory:')
    const {syscall, message} = error as NodeJS.ErrnoException
    // System messages contain error codes, which do not help users.
    const reason = syscall === undefined ? message : 'the file cannot be opened for writing'
    throw new DataError(
      `Cannot count requests in ${path}: ${reason}.`,
      'The file contains only these counts. Delete it, or run the command without --rate-limit.',
    )
  }
}

function prepared(path: string): Sqlite.Database {
  const sqlite = new Sqlite(path, {timeout: BUSY_TIMEOUT})
  try {
    sqlite.pragma('journal_mode = WAL')
    sqlite.exec('PRAGMA synchronous = NORMAL')
    sqlite.exec(TABLE)
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

/** Whether the disk is full, read-only or failing. */
export function isDiskFailure(error: unknown): boolean {
  const {code} = error as {code?: unknown}
  return typeof code === 'string' && /^(ENOSPC|EDQUOT|EROFS|SQLITE_(FULL|IOERR))/.test(code)
}
