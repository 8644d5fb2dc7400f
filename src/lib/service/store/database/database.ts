import {chmodSync, closeSync, mkdirSync, openSync, statSync} from 'node:fs'
import {type FileHandle, open} from 'node:fs/promises'
import {join} from 'node:path'
import Sqlite from 'libsql'
import {missingLayouts, versionWith} from './layout.js'
import {createSlicedWrites, createSync, drain, type Slices} from './slices.js'

export type Value = string | number | null | Buffer
export type Parameters = Readonly<Record<string, Value>>

/** The database of one data directory. Statements take named parameters: `:id`. */
export interface Database {
  all<Row>(sql: string, parameters?: Parameters): Row[]
  get<Row>(sql: string, parameters?: Parameters): Row | undefined
  /** Returns how many rows were touched, and the id of the last one inserted. */
  run(sql: string, parameters?: Parameters): {changes: number; lastId: number}
  /** All of `work` or nothing of it; once this returns, it survives a crash. Nests into an outer one. */
  write<T>(work: () => T): T
  /** As `write`, but it survives a power cut only once a `sync` that was called after it has settled. */
  writeAhead<T>(work: () => T): T
  /** Puts all that was written on the disk, without holding up this thread. */
  sync(): Promise<void>
  /** As `write`, for long work over a connection of its own: others read between its slices, and write where it can pause. */
  writeInSlices<T>(work: (connection: Database) => Slices<T>): Promise<T>
  /** Settles when no sliced write stands in the way of another write; `undefined` where none does. */
  turn(): Promise<void> | undefined
  /** Within a `write`: all of `work` or nothing of it, and the rest goes on. Throws only when the transaction is lost. */
  part<T>(work: () => T): {readonly value: T} | {readonly error: unknown}
  /** `work` sees one moment of the database, whatever other processes write meanwhile. */
  read<T>(work: () => T): T
  close(): void
}

/** How long a process waits for another one's write, in ms. */
const BUSY_TIMEOUT = 15_000

/** How long it lets others finish before it tries to switch to the log again, in ms. */
const SWITCH_PAUSE = 5

/** An acknowledged write is on the disk, also after a power cut. */
const DURABLE = 'PRAGMA synchronous = FULL'
/** It is in the log, in whose order nothing is ever half done, and the system writes that out when it likes. */
const AHEAD = 'PRAGMA synchronous = NORMAL'

/** Statements that give rows back and write nevertheless. */
const WRITES = /\bRETURNING\b/

/** So many prepared statements are kept: more than the service has, but searches make new ones without end. */
const STATEMENTS = 500

/** The database of a data directory. */
export function databaseIn(directory: string): string {
  return join(directory, 'drv.db')
}

/**
 * Opens (and makes, where it is missing) the database `drv.db` in `directory`, readable by its
 * owner only. Several processes may have it open. `layouts` are those by version, the oldest first.
 * `admit` may throw at what it sees, before anything is written.
 */
export function openDatabase(
  directory: string,
  layouts: readonly string[],
  admit: Admit = () => undefined,
): Database {
  mkdirSync(directory, {recursive: true, mode: 0o700})
  const path = databaseIn(directory)
  makeFile(path)
  const database = openShared(directory, admit)
  const missing = () => missingLayouts(layouts, database, directory)
  try {
    // Where all is as it should be nothing is written: a full disk can still be read.
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

/** The codes of SQLite where what processes share about the log finds no room on the disk. */
const NO_SHARING = /^SQLITE_(FULL|IOERR_SHM\w*)$/

/** Opens the database; where a full disk leaves no room for what processes share, for this process alone, to be read. */
function openShared(directory: string, admit: Admit): Opened {
  try {
    return openAs('NORMAL', directory, admit)
  } catch (error) {
    const isOfUse = NO_SHARING.test(String((error as {code?: unknown}).code))
    // Of a new one there is nothing to read.
    if (!isOfUse || statSync(databaseIn(directory)).size === 0) throw error
    return openAs('EXCLUSIVE', directory, admit)
  }
}

type Admit = (database: Database) => void
/** `exec` runs several statements. */
type Opened = Database & {readonly inTransaction: boolean; exec(sql: string): void}

function openAs(locking: 'NORMAL' | 'EXCLUSIVE', directory: string, admit: Admit): Opened {
  const path = databaseIn(directory)
  const sqlite = new Sqlite(path, {timeout: BUSY_TIMEOUT})

  const statements = new Map<string, Sqlite.Statement>()
  const statement = (sql: string): Sqlite.Statement => {
    const known = statements.get(sql) ?? sqlite.prepare(sql)
    if (statements.size >= STATEMENTS) statements.clear()
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
    log ??= await open(join(directory, 'drv.db-wal'), 'r+')
    await log.datasync()
  })

  let beside: Opened | undefined
  const sliced = createSlicedWrites(() => (beside ??= openBeside(directory)), sync)
  /** A write that waited for a sliced one of this thread would wait for ever. */
  const makeWay = () => {
    if (sliced.isOpen) sliced.release()
  }

  const database: Opened = {
    get inTransaction() {
      return sqlite.inTransaction
    },
    exec: sql => void sqlite.exec(sql),
    all<Row>(sql: string, parameters: Parameters = {}) {
      if (sliced.isOpen && WRITES.test(sql)) makeWay()
      return statement(sql).all(parameters) as Row[]
    },
    get<Row>(sql: string, parameters: Parameters = {}) {
      if (sliced.isOpen && WRITES.test(sql)) makeWay()
      return statement(sql).get(parameters) as Row | undefined
    },
    run(sql, parameters = {}) {
      makeWay()
      const {changes, lastInsertRowid} = statement(sql).run(parameters)
      return {changes, lastId: Number(lastInsertRowid)}
    },
    write(work) {
      makeWay()
      return transaction('BEGIN IMMEDIATE', work)
    },
    writeAhead(work) {
      makeWay()
      if (sqlite.inTransaction) return work()
      sqlite.exec(AHEAD)
      try {
        return transaction('BEGIN IMMEDIATE', work)
      } finally {
        sqlite.exec(DURABLE)
      }
    },
    sync,
    // What is this process's alone cannot be opened once more.
    writeInSlices: work =>
      locking === 'EXCLUSIVE'
        ? Promise.resolve().then(() => database.write(() => drain(work(database))))
        : sliced.write(work),
    turn: () => sliced.turn(),
    part(work) {
      sqlite.exec('SAVEPOINT part')
      try {
        const value = work()
        sqlite.exec('RELEASE part')
        return {value}
      } catch (error) {
        // A full disk, for one, ends the whole transaction.
        if (!sqlite.inTransaction) throw error
        sqlite.exec('ROLLBACK TO part; RELEASE part')
        return {error}
      }
    },
    read: work => transaction('BEGIN', work),
    close() {
      beside?.close()
      sqlite.close()
      void log?.close()
    },
  }
  try {
    // Not `pragma`: what it prepares keeps the file open after `close`.
    sqlite.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`)
    sqlite.exec(`PRAGMA locking_mode = ${locking}`)
    admit(database)
    // The files of the log get the mode of the database.
    keepPrivate(path)
    switchToLog(sqlite)
    sqlite.exec(DURABLE)
    sqlite.exec('PRAGMA foreign_keys = ON')
    // KiB, with the sign that says so. The keys of most tables are random, so any page may be next.
    sqlite.exec('PRAGMA cache_size = -65536')
    // Pages of the log. The same pages are written again and again, so that it pays to collect.
    sqlite.exec('PRAGMA wal_autocheckpoint = 8000')
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

/** Opens what is open already once more, for writes that go on while the other connection reads. */
function openBeside(directory: string): Opened {
  const beside = openAs('NORMAL', directory, () => undefined)
  beside.exec(AHEAD)
  beside.exec('PRAGMA cache_size = -16384')
  return beside
}

/** Has the log written ahead. Of several processes that switch a new file at once SQLite refuses all but one: they try again. */
function switchToLog(sqlite: Sqlite.Database): void {
  const deadline = Date.now() + BUSY_TIMEOUT
  for (;;) {
    try {
      sqlite.exec('PRAGMA journal_mode = WAL')
      return
    } catch (error) {
      const isBusy = (error as {code?: unknown}).code === 'SQLITE_BUSY'
      if (!isBusy || Date.now() >= deadline) throw error
      // Holds this thread up.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SWITCH_PAUSE)
    }
  }
}

/** Makes an empty file for its owner only. One that is there is not opened: closing it would end this process's locks on it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Takes the files of a database from everybody but their owner. */
function keepPrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const facts = statSync(file, {throwIfNoEntry: false})
    if (!facts || (facts.mode & 0o077) === 0) continue
    try {
      chmodSync(file, 0o600)
    } catch {
      // Some file systems know no modes, and what belongs to somebody else is theirs to close.
    }
  }
}
