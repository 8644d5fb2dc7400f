import {closeSync, openSync} from 'node:fs'
import {join} from 'node:path'
import Sqlite from 'libsql'
import {DataError} from '#lib/platform/setup-error.js'

/** How often a subject did something, within a time that ends at `ends_at` (Unix ms). */
export interface Count {
  readonly used: number
  readonly ends_at: number
}

/** Counts that all processes on a data directory share, and that may be lost. */
export interface Counts {
  /** `undefined` for a subject that did nothing yet, or whose time is over. */
  of(subject: string, now: number): Count | undefined
  /** Counts one more, in a new time up to `end` where the old one is over; `undefined` beyond `limit`. */
  add(subject: string, time: {now: number; end: number; limit: number}): Count | undefined
  /** Counts one less. */
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

/** How long a process waits for another one's count, in ms. */
const BUSY_TIMEOUT = 5000

/**
 * Opens the counts of a data directory: a database of their own, since in the main one each count
 * would wait for the writes of all processes, and make them read anew what they hold in memory.
 * Nothing waits for the disk. Throws `DataError` for a file that cannot be used.
 */
export function openCounts(directory: string): Counts {
  const path = join(directory, 'counts.db')
  const sqlite = open(path)
  const add = sqlite.prepare(ADD)
  const of = sqlite.prepare('SELECT * FROM counts WHERE subject = :subject AND ends_at > :now')
  const takeBack = sqlite.prepare(
    'UPDATE counts SET used = used - 1 WHERE subject = :subject AND ends_at > :now AND used > 0',
  )
  const forget = sqlite.prepare('DELETE FROM counts WHERE ends_at <= :now')
  return {
    // Not `get`, which leaves a statement open that could give more.
    of: (subject, now) => (of.all({subject, now}) as Count[])[0],
    add(subject, time) {
      const [count] = add.all({subject, ...time}) as Count[]
      if (count?.used === 1) forget.run({now: time.now})
      return count
    },
    takeBack: (subject, now) => void takeBack.run({subject, now}),
    close: () => sqlite.close(),
  }
}

function open(path: string): Sqlite.Database {
  try {
    // For its owner only; the files that the database puts beside it take that over.
    closeSync(openSync(path, 'a', 0o600))
    return prepared(path)
  } catch (error) {
    // The service can still read. It counts for itself, then.
    if (isDiskFailure(error)) return prepared(':memory:')
    const {syscall, message} = error as NodeJS.ErrnoException
    // What the system says has a code in it, which says nothing to people.
    const why = syscall === undefined ? message : 'the file cannot be opened for writing'
    throw new DataError(
      `The requests of this hour cannot be counted in ${path}: ${why}.`,
      'Nothing but these counts is in this file: remove it, or leave out --rate-limit.',
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

/** Whether the disk is full, or takes nothing for another reason. */
export function isDiskFailure(error: unknown): boolean {
  const {code} = error as {code?: unknown}
  return typeof code === 'string' && /^(ENOSPC|EDQUOT|EROFS|SQLITE_(FULL|IOERR))/.test(code)
}
