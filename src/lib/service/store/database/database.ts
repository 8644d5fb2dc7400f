import {chmodSync, closeSync, mkdirSync, openSync, statSync} from 'node:fs'
import {type FileHandle, open} from 'node:fs/promises'
import {join} from 'node:path'
import Sqlite from 'libsql'
import {missingLayouts, versionWith} from './layout.js'
import {createCommittingWrites, createSlicedWrites, createSync, type Slices} from './slices.js'

export type SqlValue = string | number | null | Buffer
export type Parameters = Readonly<Record<string, SqlValue>>

/** The database of a data directory. Statements have named parameters such as `:id`. */
export interface Database {
  all<Row>(sql: string, parameters?: Parameters): Row[]
  get<Row>(sql: string, parameters?: Parameters): Row | undefined
  /** Returns the number of changed rows and the ID of the last inserted one. */
  run(sql: string, parameters?: Parameters): {changes: number; lastId: number}
  /** Runs `work` in a transaction, or in the current one. Once it returns, the changes survive a crash. */
  write<T>(work: () => T): T
  /** Like `write`, but the changes survive a power failure only after a later `sync`. */
  writeAhead<T>(work: () => T): T
  /** Flushes all changes to disk without blocking this thread. */
  sync(): Promise<void>
  /** Like `write`, for long work on a separate connection. Others can read between its slices, and write at its commit points. */
  writeInSlices<T>(work: (connection: Database) => Slices<T>): Promise<T>
  /** Resolves when no sliced write blocks other writes; `undefined` if none does. */
  turn(): Promise<void> | undefined
  /** Runs `work` atomically inside a `write`. Returns its error and keeps the transaction; throws only if the transaction was rolled back. */
  part<T>(work: () => T): {readonly value: T} | {readonly error: unknown}
  /** Runs `work` on a snapshot of the database. */
  read<T>(work: () => T): T
  /** Runs several statements without parameters. */
  exec(sql: string): void
  close(): void
}

/** How long a process waits for the write of another one, in ms. */
const BUSY_TIMEOUT = 15_000

/** Delay between two attempts to switch to WAL mode, in ms. */
const SWITCH_PAUSE = 5

/** Every commit is flushed to disk and survives a power failure. */
const DURABLE = 'PRAGMA synchronous = FULL'
/** Commits are written to the log, which stays consistent. The operating system flushes it later. */
const AHEAD = 'PRAGMA synchronous = NORMAL'

/** Matches statements that return rows and also write. */
const WRITES = /\bRETURNING\b/

/** Maximum number of cached prepared statements: more than the service has, but every search can add new ones. */
const MAX_STATEMENTS = 500

/** The path of the database in a data directory. */
export function databaseIn(directory: string): string {
  return join(directory, 'drv.db')
}

/**
 * Opens the database `drv.db` in `directory`, and creates it if it is missing, readable by its owner
 * only. Several processes may have it open. `layouts` are in the order of their versions, oldest
 * first. `validateDatabase` can inspect the database and throw before anything is written.
 */
export function openDatabase(
  directory: string,
  layouts: readonly string[],
  validateDatabase: Validate = () => undefined,
): Database {
  mkdirSync(directory, {recursive: true, mode: 0o700})
  const path = databaseIn(directory)
  makeFile(path)
  const database = openShared(directory, validateDatabase)
  const missing = () => missingLayouts(layouts, database, directory)
  try {
    // Write only if a layout is missing, so that a database on a full disk can still be read.
    if (missing().length > 0) {
      database.write(() => {
        for (const layout of missing()) database.exec(layout)
        database.exec(`PRAGMA user_version = ${versionWith(layouts)}`)
      })
    }
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** SQLite's error codes if the disk has no space for the memory that processes share. */
const NO_SHARED_MEMORY = /^SQLITE_(FULL|IOERR_SHM\w*)$/

/** Opens the database. If a full disk has no space for shared memory, opens it for this process only, so that it can be read. */
function openShared(directory: string, validateDatabase: Validate): Opened {
  try {
    return openAs('NORMAL', directory, validateDatabase)
  } catch (error) {
    const isFull = NO_SHARED_MEMORY.test(String((error as {code?: unknown}).code))
    // An empty database has nothing to read.
    if (!isFull || statSync(databaseIn(directory)).size === 0) throw error
    return openAs('EXCLUSIVE', directory, validateDatabase)
  }
}

type Validate = (database: Database) => void
type Opened = Database & {readonly inTransaction: boolean}

/** Opens a database in memory, which ends with `close`. Others run only at the commit points of long writes, because it has only one connection. */
export function openMemoryDatabase(layouts: readonly string[]): Database {
  const database = connect(new Sqlite(':memory:'), {})
  database.exec('PRAGMA foreign_keys = ON')
  database.write(() => database.exec(layouts.join('\n')))
  database.exec(`PRAGMA user_version = ${versionWith(layouts)}`)
  return database
}

function openAs(
  locking: 'NORMAL' | 'EXCLUSIVE',
  directory: string,
  validateDatabase: Validate,
): Opened {
  const path = databaseIn(directory)
  const sqlite = new Sqlite(path, {timeout: BUSY_TIMEOUT})
  const database = connect(
    sqlite,
    locking === 'EXCLUSIVE' ? {log: `${path}-wal`} : {log: `${path}-wal`, directory},
  )
  try {
    // Not `pragma`: its statements keep the file open after `close`.
    sqlite.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`)
    sqlite.exec(`PRAGMA locking_mode = ${locking}`)
    validateDatabase(database)
    // SQLite creates the log files with the mode of the database.
    keepPrivate(path)
    switchToLog(sqlite)
    sqlite.exec(DURABLE)
    sqlite.exec('PRAGMA foreign_keys = ON')
    // 64 MiB; negative values are in KiB. Most keys are random, so access is spread over all pages.
    sqlite.exec('PRAGMA cache_size = -65536')
    // In pages. The same pages are written repeatedly, so rare checkpoints are faster.
    sqlite.exec('PRAGMA wal_autocheckpoint = 8000')
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

interface Files {
  /** SQLite's log, which `sync` flushes; none in memory. */
  readonly log?: string
  /** The directory in which a second connection can open the same database; none in memory and in exclusive mode. */
  readonly directory?: string
}

/** The methods of an open connection. */
function connect(sqlite: Sqlite.Database, {log: logFile, directory}: Files): Opened {
  const statements = new Map<string, Sqlite.Statement>()
  const statement = (sql: string): Sqlite.Statement => {
    const known = statements.get(sql) ?? sqlite.prepare(sql)
    if (statements.size >= MAX_STATEMENTS) statements.clear()
    statements.set(sql, known)
    return known
  }
  const transaction = <T>(begin: string, work: () => T): T => {
    if (sqlite.inTransaction) return work()
    sqlite.exec(begin)
    try {
      const result = work()
      sqlite.exec('COMMIT')
      return result
    } catch (error) {
      if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
      throw error
    }
  }

  let log: FileHandle | undefined
  const sync = createSync(async () => {
    if (logFile === undefined) return
    log ??= await open(logFile, 'r+')
    await log.datasync()
  })

  let second: Opened | undefined
  const sliced = createSlicedWrites(() => (second ??= openSecond(directory!)), sync)
  /** Finishes a sliced write of this thread; waiting for it would be a deadlock. */
  const finishSlicedWrite = () => {
    if (sliced.isOpen) sliced.release()
  }

  const database: Opened = {
    get inTransaction() {
      return sqlite.inTransaction
    },
    exec: sql => void sqlite.exec(sql),
    all<Row>(sql: string, parameters: Parameters = {}) {
      if (sliced.isOpen && WRITES.test(sql)) finishSlicedWrite()
      return statement(sql).all(parameters) as Row[]
    },
    get<Row>(sql: string, parameters: Parameters = {}) {
      if (sliced.isOpen && WRITES.test(sql)) finishSlicedWrite()
      return statement(sql).get(parameters) as Row | undefined
    },
    run(sql, parameters = {}) {
      finishSlicedWrite()
      const {changes, lastInsertRowid} = statement(sql).run(parameters)
      return {changes, lastId: Number(lastInsertRowid)}
    },
    write(work) {
      finishSlicedWrite()
      return transaction('BEGIN IMMEDIATE', work)
    },
    writeAhead(work) {
      finishSlicedWrite()
      if (sqlite.inTransaction) return work()
      if (logFile === undefined) return transaction('BEGIN IMMEDIATE', work)
      sqlite.exec(AHEAD)
      try {
        return transaction('BEGIN IMMEDIATE', work)
      } finally {
        sqlite.exec(DURABLE)
      }
    },
    sync,
    writeInSlices: directory === undefined ? createCommittingWrites(() => database) : sliced.write,
    turn: () => sliced.turn(),
    part(work) {
      sqlite.exec('SAVEPOINT part')
      try {
        const value = work()
        sqlite.exec('RELEASE part')
        return {value}
      } catch (error) {
        // Some errors, such as a full disk, roll back the whole transaction.
        if (!sqlite.inTransaction) throw error
        sqlite.exec('ROLLBACK TO part; RELEASE part')
        return {error}
      }
    },
    read: work => transaction('BEGIN', work),
    close() {
      second?.close()
      sqlite.close()
      void log?.close()
    },
  }
  return database
}

/** Opens a second connection, for writes while the first one reads. */
function openSecond(directory: string): Opened {
  const second = openAs('NORMAL', directory, () => undefined)
  second.exec(AHEAD)
  second.exec('PRAGMA cache_size = -16384')
  return second
}

/** Switches to WAL mode. If several processes switch a new file at once, SQLite refuses all but one, so they retry. */
function switchToLog(sqlite: Sqlite.Database): void {
  const deadline = Date.now() + BUSY_TIMEOUT
  for (;;) {
    try {
      sqlite.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = (error as {code?: unknown}).code === 'SQLITE_BUSY'
      if (!isBusy || Date.now() >= deadline) throw error
      // Blocks this thread.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SWITCH_PAUSE)
    }
  }
}

/** Creates an empty file, readable by its owner only. Does not open an existing one: closing it would release this process's locks on it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Restricts the files of a database to their owner. */
function keepPrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const facts = statSync(file, {throwIfNoEntry: false})
    if (!facts || (facts.mode & 0o077) === 0) continue
    try {
      chmodSync(file, 0o600)
    } catch {
      // Some file systems have no modes, and only the owner can change them.
    }
  }
}
